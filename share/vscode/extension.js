// Starts the language server for .snl files, and runs what its code lenses offer.
const { commands, window, workspace } = require('vscode');
const { LanguageClient } = require('vscode-languageclient/node');

let client, terminal;

const quote = word => process.platform === 'win32' ? `"${word}"` : `'${word.replace(/'/g, "'\\''")}'`;

// Runs a command of snlc in a terminal.
const run = (...words) => {
  if (!terminal || terminal.exitStatus) terminal = window.createTerminal('snlc');
  terminal.show(true);
  terminal.sendText([workspace.getConfiguration('snl').get('command')[0], ...words].map(quote).join(' '));
};

exports.activate = context => {
  const [command, ...args] = workspace.getConfiguration('snl').get('command');
  context.subscriptions.push(
    commands.registerCommand('snlc.run', file => run('run', file)),
    commands.registerCommand('snlc.test', (file, title) => run('test', '--filter=' + title, file)),
    commands.registerCommand('snlc.bench', (file, title) => run('bench', '--filter=' + title, file)));
  client = new LanguageClient('snl', 'SNL', { command, args }, { documentSelector: [{ language: 'snl' }] });
  return client.start();
};

exports.deactivate = () => client && client.stop();
