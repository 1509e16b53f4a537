/** Has every notification shown once more: the extension's own, and those of the server, which keeps its own account. */
import * as vscode from "vscode";
import type { CommandLine } from "../commandLine";
import { forget } from "../notified";

export async function showNotificationsAgain(state: vscode.Memento, commandLine: CommandLine): Promise<void> {
  await forget(state);
  const answer = await commandLine.answer(["forget"]);
  if (answer !== undefined) {
    vscode.window.setStatusBarMessage(answer.trim(), 5000);
  }
}
