// Says which programs the tree-sitter grammar does not derive: node recognise.js grammar.js FILE...
// The grammar is read with the functions that tree-sitter gives it, and each file is put through Earley's algorithm. Precedence plays
// no part: what is checked is that the language is the same.
'use strict';
const fs = require('fs');
const path = require('path');

// ---- the functions of tree-sitter, giving plain objects ----

const lift = x => (typeof x === 'string' ? { text: x } : x instanceof RegExp ? { regex: x } : x);
const seq = (...parts) => ({ seq: parts.map(lift) });
const choice = (...parts) => ({ choice: parts.map(lift) });
const optional = x => choice(x, seq());
const repeat = x => ({ repeat: lift(x) });
const repeat1 = x => seq(x, repeat(x));
const prec = (_, x) => lift(x);
prec.left = prec.right = (a, b) => lift(b === undefined ? a : b);
const token = x => ({ token: lift(x) });
token.immediate = token;
Object.assign(globalThis, { seq, choice, optional, repeat, repeat1, prec, token, field: (_, x) => lift(x), grammar: g => g });

const definition = require(path.resolve(process.argv[2]));
const $ = new Proxy({}, { get: (_, name) => ({ symbol: name }) });
const source = {};
for (const [name, rule] of Object.entries(definition.rules)) source[name] = lift(rule($));

// ---- tokens: words of the grammar, and the rules that are patterns ----

const lexical = ['type', 'identifier', 'number', 'string'];
const patternOf = rule =>
  rule.regex ? rule.regex.source
  : rule.text !== undefined ? rule.text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
  : rule.token ? patternOf(rule.token)
  : rule.seq ? rule.seq.map(patternOf).join('')
  : rule.choice ? `(?:${rule.choice.map(patternOf).join('|')})`
  : rule.repeat ? `(?:${patternOf(rule.repeat)})*`
  : patternOf(source[rule.symbol]);
const alternatives = rule => (rule.token ? alternatives(rule.token) : rule.choice || [rule]); // the longest counts, not the first
const patterns = lexical.flatMap(name => alternatives(source[name]).map(rule => [name, new RegExp(patternOf(rule), 'y')]));
const space = new RegExp(`(?:\\s|${patternOf(source.comment)})*`, 'y');
const texts = new Set();
const collect = rule => {
  if (rule.text !== undefined) texts.add(rule.text);
  (rule.seq || rule.choice || (rule.repeat ? [rule.repeat] : [])).forEach(collect);
};
for (const [name, rule] of Object.entries(source)) if (!lexical.includes(name) && !rule.token) collect(rule);
const signs = [...texts].filter(t => !/^\w/.test(t)).sort((a, b) => b.length - a.length);

// Words of the grammar that may be names elsewhere.
const soft = ['step', 'benchmark', 'dense', 'bitmasked', 'pointer', 'dynamic', 'hash'];

// Every token as the set of terminals that it can be.
function scan(text) {
  const tokens = [];
  for (let at = text.startsWith('\ufeff') ? 1 : 0; ;) {
    space.lastIndex = at;
    at += space.exec(text)[0].length;
    if (at >= text.length) return tokens;
    let best = '', kinds = [];
    for (const [name, pattern] of patterns) {
      pattern.lastIndex = at;
      const m = pattern.exec(text);
      if (m && m[0].length > best.length) [best, kinds] = [m[0], [name]];
    }
    if (texts.has(best)) kinds = (soft.includes(best) ? kinds : []).concat([`'${best}`]);
    for (const sign of signs) if (sign.length > best.length && text.startsWith(sign, at)) [best, kinds] = [sign, [`'${sign}`]];
    if (!best) throw new Error(`no token at ${JSON.stringify(text.slice(at, at + 20))}`);
    tokens.push({ text: best, kinds, at });
    at += best.length;
  }
}

// ---- the grammar in plain rules ----

const rules = {}; // name -> list of lists of names; a terminal is 'text or a lexical rule
let made = 0;
function flatten(rule) { // the alternatives of a rule
  if (rule.text !== undefined) return [[`'${rule.text}`]];
  if (rule.symbol) return [[rule.symbol]];
  if (rule.choice) return rule.choice.flatMap(flatten);
  if (rule.seq) return rule.seq.reduce((all, part) => { const more = flatten(part); return all.flatMap(a => more.map(m => a.concat(m))); }, [[]]);
  const name = `repeat ${made++}`;
  rules[name] = [[], ...flatten(rule.repeat).map(a => [name, ...a])];
  return [[name]];
}
for (const [name, rule] of Object.entries(source)) if (!lexical.includes(name) && !rule.token) rules[name] = flatten(rule);
const nullable = new Set();
for (let more = true; more;) {
  more = false;
  for (const [name, list] of Object.entries(rules))
    if (!nullable.has(name) && list.some(a => a.every(x => nullable.has(x)))) more = nullable.add(name) && true;
}

// ---- Earley ----

// The number of tokens read before none fits, or -1 when all are read and the file is complete.
function recognise(tokens) {
  const sets = [];
  const add = (set, item) => {
    const key = `${item.name} ${item.rule} ${item.dot} ${item.from}`;
    if (set.keys.has(key)) return;
    set.keys.add(key);
    set.items.push(item);
    const next = rules[item.name][item.rule][item.dot];
    if (next !== undefined && rules[next]) (set.waiting[next] ||= []).push(item);
    if (next !== undefined && nullable.has(next)) add(set, { ...item, dot: item.dot + 1 });
  };
  const fresh = () => ({ items: [], keys: new Set(), waiting: {} });
  sets[0] = fresh();
  rules.source_file.forEach((_, rule) => add(sets[0], { name: 'source_file', rule, dot: 0, from: 0 }));
  for (let i = 0; i <= tokens.length; i++) {
    const set = sets[i], after = (sets[i + 1] = fresh());
    for (let k = 0; k < set.items.length; k++) {
      const item = set.items[k], next = rules[item.name][item.rule][item.dot];
      if (next === undefined)
        for (const w of sets[item.from].waiting[item.name] || []) add(set, { ...w, dot: w.dot + 1 });
      else if (rules[next]) rules[next].forEach((_, rule) => add(set, { name: next, rule, dot: 0, from: i }));
      else if (i < tokens.length && tokens[i].kinds.includes(next)) add(after, { ...item, dot: item.dot + 1 });
    }
    if (i < tokens.length && !after.items.length) return i;
  }
  const done = sets[tokens.length].items.some(x => x.name === 'source_file' && x.from === 0 && x.dot === rules.source_file[x.rule].length);
  return done ? -1 : tokens.length;
}

let failures = 0;
for (const file of process.argv.slice(3)) {
  const text = fs.readFileSync(file, 'utf8');
  const tokens = scan(text), stop = recognise(tokens);
  if (stop < 0) continue;
  failures++;
  const at = stop < tokens.length ? tokens[stop].at : text.length;
  console.log(`${file}:${text.slice(0, at).split('\n').length}: not derived at '${stop < tokens.length ? tokens[stop].text : 'the end'}'`);
}
process.exit(failures ? 1 : 0);
