// Starts `pleach lsp` for RON files, and runs tests from their code lenses.
"use strict";

const vscode = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");

let client;

// The program, and the arguments that name the manifest of the game.
function program() {
  const settings = vscode.workspace.getConfiguration("pleach");
  const leaves = settings.get("leaves");
  return { path: settings.get("path"), leaves: leaves ? ["--leaves", leaves] : [] };
}

function folder() {
  return vscode.workspace.workspaceFolders?.[0]?.uri.fsPath;
}

async function start() {
  const { path, leaves } = program();
  const server = { command: path, args: ["lsp", ...leaves], options: { cwd: folder() } };
  const documentSelector = [{ language: "ron" }];
  client = new LanguageClient("pleach", "pleach", server, { documentSelector });
  try {
    await client.start();
  } catch (error) {
    vscode.window.showErrorMessage(
      `\`${path} lsp\` does not start (${error.message}). Set "pleach.path" to the program pleach, or to that of your game.`,
    );
  }
}

// A client that did not start cannot be disposed of: it throws, and that does no harm.
async function stop() {
  await client?.dispose().catch(() => {});
}

async function restart() {
  await stop();
  await start();
}

// Runs a test file, or one of its cases.
function test(uri, name) {
  const { path, leaves } = program();
  const filter = name === undefined ? [] : ["--filter", `: ${name}`];
  const args = ["test", vscode.Uri.parse(uri).fsPath, ...filter, ...leaves];
  const run = new vscode.ProcessExecution(path, args, { cwd: folder() });
  const task = new vscode.Task({ type: "pleach" }, vscode.TaskScope.Workspace, name ?? "test", "pleach", run);
  return vscode.tasks.executeTask(task);
}

exports.activate = async (context) => {
  context.subscriptions.push(
    vscode.commands.registerCommand("pleach.restart", restart),
    vscode.commands.registerCommand("pleach.test", test),
    vscode.workspace.onDidChangeConfiguration((it) => it.affectsConfiguration("pleach") && restart()),
  );
  await start();
};

exports.deactivate = stop;
