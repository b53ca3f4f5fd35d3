// Starts the language server for .snl files.
const { workspace } = require('vscode');
const { LanguageClient } = require('vscode-languageclient/node');

let client;

exports.activate = () => {
  const [command, ...args] = workspace.getConfiguration('snl').get('command');
  client = new LanguageClient('snl', 'SNL', { command, args }, { documentSelector: [{ language: 'snl' }] });
  return client.start();
};

exports.deactivate = () => client && client.stop();
