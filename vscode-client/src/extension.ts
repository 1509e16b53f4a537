/** Starts the Burstline language server for OpenCL files and restarts it on request. */
import * as vscode from "vscode";
import { LanguageClient } from "vscode-languageclient/node";

let client: LanguageClient | undefined;

/** The command line that starts the server, from the settings. */
function serverCommand(): { command: string; args: string[] } {
  const configured = vscode.workspace.getConfiguration("burstline").get<string[]>("server.command", []);
  const [command = "burstline", ...args] = configured;
  return { command, args: args.length > 0 ? args : ["serve"] };
}

async function start(output: vscode.LogOutputChannel): Promise<void> {
  const { command, args } = serverCommand();
  client = new LanguageClient("burstline", "Burstline", { command, args }, {
    documentSelector: [{ language: "opencl" }],
    outputChannel: output,
  });
  try {
    await client.start();
  } catch (error) {
    output.error(error instanceof Error ? error : String(error));
    const settings = vscode.l10n.t("Open Settings");
    const message = vscode.l10n.t(
      "Burstline could not start “{0}”. Install it with “pip install burstline”, or name another command in the settings.",
      [command, ...args].join(" "),
    );
    const answer = await vscode.window.showErrorMessage(message, settings);
    if (answer === settings) {
      await vscode.commands.executeCommand("workbench.action.openSettings", "burstline.server.command");
    }
  }
}

async function stop(): Promise<void> {
  const running = client;
  client = undefined;
  if (running?.needsStop() === true) {
    await running.stop();
  }
}

/** Called by the editor when the first OpenCL file is opened. */
export async function activate(context: vscode.ExtensionContext): Promise<void> {
  const output = vscode.window.createOutputChannel("Burstline", { log: true });
  context.subscriptions.push(
    output,
    vscode.commands.registerCommand("burstline.restart", async () => {
      await stop();
      await start(output);
    }),
    vscode.commands.registerCommand("burstline.showOutput", () => {
      output.show();
    }),
  );
  await start(output);
}

/** Called by the editor on shutdown. */
export async function deactivate(): Promise<void> {
  await stop();
}
