/** Reads a compiler report: what it says, where inference differs, and, if the user asks for it, its figures in place of inferred ones. */
import * as path from "node:path";
import * as vscode from "vscode";
import type { CommandLine } from "../commandLine";
import { openCl, set } from "../settings";

export async function importReport(commandLine: CommandLine, folder?: vscode.Uri): Promise<void> {
  const report = folder ?? (await chosen());
  if (report === undefined) {
    return;
  }
  const document = openCl()?.document;
  const sources = document && !document.isUntitled ? [document.uri.fsPath] : [];
  const text = await commandLine.answer(["import-report", report.fsPath, ...sources]);
  if (text === undefined) {
    return;
  }
  await commandLine.show(vscode.l10n.t("{0}: report", path.basename(report.fsPath)), text);
  const use = vscode.l10n.t("Use This Report");
  const message = vscode.l10n.t("Units, loops and clock of this report can replace the inferred ones.");
  if ((await vscode.window.showInformationMessage(message, use)) === use) {
    await set("report", report.fsPath);
  }
}

async function chosen(): Promise<vscode.Uri | undefined> {
  const [folder] =
    (await vscode.window.showOpenDialog({
      title: vscode.l10n.t("The folder of a build"),
      canSelectFolders: true,
      canSelectFiles: true,
      openLabel: vscode.l10n.t("Import"),
    })) ?? [];
  return folder;
}
