/** The extension put together: the server, the status bar, the kernel view, and one function for each command. */
import * as vscode from "vscode";
import { chooseBoard } from "./commands/board";
import { Hints } from "./commands/hints";
import { importReport } from "./commands/report";
import { setLaunch } from "./commands/launch";
import { showNotificationsAgain } from "./commands/notifications";
import { CommandLine } from "./commandLine";
import { EndedLens } from "./endedLens";
import { KernelView } from "./kernelView";
import { LineHints } from "./lineHints";
import { Server } from "./server";
import { StatusBar } from "./statusBar";

let server: Server | undefined;

/** Called by the editor when the first OpenCL file is opened or a command is given. */
export async function activate(context: vscode.ExtensionContext): Promise<void> {
  const output = vscode.window.createOutputChannel("Burstline", { log: true });
  const view = new KernelView(() => server, output);
  const lineHints = new LineHints();
  server = new Server(context, output, (uri, kernel, part) => view.show(uri, kernel, part), lineHints);
  const running = server;
  const commandLine = new CommandLine(running, output);
  const hints = new Hints(running);
  const commands: Record<string, (...words: never[]) => unknown> = {
    "burstline.showHints": () => hints.show(),
    "burstline.hideHints": () => hints.hide(),
    "burstline.kernelView": () => view.showAtCaret(),
    "burstline.exploreVariants": () => view.showAtCaret("variants"),
    "burstline.chooseBoard": () => chooseBoard(running),
    "burstline.setLaunch": () => setLaunch(),
    "burstline.importReport": (folder?: vscode.Uri) => importReport(commandLine, folder),
    "burstline.showNotificationsAgain": () => showNotificationsAgain(context.globalState, commandLine),
    "burstline.restart": () => running.restart(),
    "burstline.showOutput": () => {
      output.show();
    },
  };
  for (const [name, run] of Object.entries(commands)) {
    context.subscriptions.push(vscode.commands.registerCommand(name, run));
  }
  const following = [view.follow(running), lineHints.follow(running), new StatusBar(running), new EndedLens(running)];
  context.subscriptions.push(output, view, commandLine, hints, lineHints, ...following, running);
  await running.start();
}

/** Called by the editor on shutdown. */
export async function deactivate(): Promise<void> {
  await server?.stop();
}
