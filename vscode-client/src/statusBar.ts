/** The status bar: the board, the kernel clock and the confidence behind the figures of the file in front. */
import * as vscode from "vscode";
import type { Server } from "./server";
import { openCl } from "./settings";

/** What the server answers to burstline/status. */
interface Status {
  board: string;
  board_title: string;
  f_max: string;
  f_max_from: string;
  confidence: string | null;
}

export class StatusBar implements vscode.Disposable {
  private readonly item: vscode.StatusBarItem;
  private readonly disposables: vscode.Disposable;

  constructor(private readonly server: Server) {
    this.item = vscode.window.createStatusBarItem("burstline.status", vscode.StatusBarAlignment.Right, 100);
    this.item.name = "Burstline";
    const update = (): void => void this.update();
    this.disposables = vscode.Disposable.from(
      this.item,
      vscode.window.onDidChangeActiveTextEditor(update),
      vscode.workspace.onDidOpenTextDocument(update), // a file's language may have been changed
      vscode.languages.onDidChangeDiagnostics((event) => {
        const front = openCl()?.document.uri.toString();
        if (event.uris.some((uri) => uri.toString() === front)) {
          update();
        }
      }),
      server.onDidChange(update),
    );
  }

  dispose(): void {
    this.disposables.dispose();
  }

  private async update(): Promise<void> {
    const editor = openCl();
    if (editor === undefined) {
      this.item.hide();
      return;
    }
    if (this.server.problem !== undefined) {
      const { problem, ended } = this.server;
      const icon = ended === "starting" ? "$(sync~spin)" : "$(warning)";
      this.show(`${icon} Burstline`, problem, ended === "stopped" ? "burstline.restart" : "burstline.showOutput");
      return;
    }
    const status = await this.server.ask<Status>("burstline/status", { uri: editor.document.uri.toString() });
    if (status === undefined || openCl() !== editor) {
      return;
    }
    const { board, board_title, f_max, f_max_from, confidence } = status;
    const lines = [
      board_title,
      vscode.l10n.t("Kernel clock: {0} (from the {1})", f_max, f_max_from),
      vscode.l10n.t("Lowest confidence of an access: {0}", confidence ?? "–"),
      vscode.l10n.t("Click to choose another board."),
    ];
    this.show([board, f_max, confidence].filter((part) => part !== null).join(" · "), lines.join("\n"));
  }

  private show(text: string, tooltip: string, command = "burstline.chooseBoard"): void {
    this.item.text = text;
    this.item.tooltip = tooltip;
    this.item.command = command;
    this.item.accessibilityInformation = { label: `Burstline: ${text.replace(/^\$\(\S+\) /, "")}. ${tooltip}` };
    this.item.show();
  }
}
