/** The line over the first kernel of a file while no server runs that ran before: why, and how to start it again. */
import * as vscode from "vscode";
import type { Server } from "./server";

const KERNEL = /\b(?:__)?kernel\b/;

export class EndedLens implements vscode.CodeLensProvider, vscode.Disposable {
  readonly onDidChangeCodeLenses: vscode.Event<void>;
  private readonly registered: vscode.Disposable;

  constructor(private readonly server: Server) {
    this.onDidChangeCodeLenses = server.onDidChange;
    this.registered = vscode.languages.registerCodeLensProvider({ language: "opencl" }, this);
  }

  dispose(): void {
    this.registered.dispose();
  }

  provideCodeLenses(document: vscode.TextDocument): vscode.CodeLens[] {
    if (this.server.ended === undefined) {
      return [];
    }
    const kernel = KERNEL.exec(document.getText());
    const place = document.positionAt(kernel?.index ?? 0);
    const title =
      this.server.ended === "stopped"
        ? vscode.l10n.t("Burstline has stopped: Restart")
        : vscode.l10n.t("Burstline is starting again");
    return [new vscode.CodeLens(new vscode.Range(place, place), { title, command: "burstline.restart" })];
  }
}
