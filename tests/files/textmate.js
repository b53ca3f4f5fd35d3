// Prints the colours that a TextMate grammar gives to a program, as editors compute them: node textmate.js GRAMMAR FILE
// One line for each coloured part, "LINE SCOPE TEXT": of the patterns in force the one that matches first, the first of those that begin
// at one place; a pattern of two ends is in force until its end.
'use strict';
const fs = require('fs');
const grammar = JSON.parse(fs.readFileSync(process.argv[2], 'utf8'));

// The patterns that a list stands for, with what it includes.
const flatten = list => (list || []).flatMap(rule => {
  if (rule.include) return flatten([grammar.repository[rule.include.slice(1)]]);
  return rule.match || rule.begin ? [rule] : flatten(rule.patterns);
});

const colours = []; // of the line: [from, to, scope]; what is inside of another comes later
const paint = (from, to, scope) => { if (scope && to > from) colours.push([from, to, scope]); };

function paintCaptures(captures, match, line) {
  for (const [number, capture] of Object.entries(captures || {})) {
    const range = match.indices[number];
    if (!range) continue;
    paint(range[0], range[1], capture.name);
    if (capture.patterns) scan(line.slice(0, range[1]), range[0], [{ patterns: capture.patterns }]);
  }
}

// Goes through a line from a place; the stack of patterns of two ends is left as it is at the end of it.
function scan(line, at, stack) {
  for (;;) {
    const top = stack[stack.length - 1];
    let best = null;
    const consider = (rule, pattern) => {
      const search = new RegExp(pattern, 'dg');
      search.lastIndex = at;
      const match = search.exec(line);
      if (match && (!best || match.index < best.match.index)) best = { rule, match };
    };
    if (top.end) consider(null, top.end);
    for (const rule of flatten(top.patterns)) consider(rule, rule.match || rule.begin);
    if (!best) break;
    const { rule, match } = best, end = match.index + match[0].length;
    if (!rule) {
      paint(top.from, end, top.name);
      stack.pop();
    } else if (rule.begin) {
      stack.push({ ...rule, from: match.index });
    } else {
      paint(match.index, end, rule.name);
      paintCaptures(rule.captures, match, line);
      if (end === at && !match[0]) break;
    }
    at = end;
  }
  const top = stack[stack.length - 1];
  if (top.name) {
    paint(top.from, line.length, top.name);
    top.from = 0;
  }
}

const stack = [{ patterns: grammar.patterns }];
fs.readFileSync(process.argv[3], 'utf8').split('\n').forEach((line, k) => {
  colours.length = 0;
  scan(line, 0, stack);
  colours.sort((a, b) => a[0] - b[0] || b[1] - a[1]);
  for (const [from, to, scope] of colours) console.log(`${k + 1} ${scope.replace(/\.snl$/, '')} ${line.slice(from, to)}`);
});
