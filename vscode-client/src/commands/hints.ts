/** Shows and hides the hints behind accesses; the command's title always says what it will do. */
import * as vscode from "vscode";
import type { Server } from "../server";
import { openCl, set, settingsInFront } from "../settings";

type Preset = "off" | "on_demand" | "quiet" | "normal" | "everything";

export class Hints implements vscode.Disposable {
  private readonly disposables: vscode.Disposable;
  /** Files whose hints were asked for, where they are shown on demand only. */
  private readonly asked = new Set<string>();

  constructor(private readonly server: Server) {
    this.disposables = vscode.Disposable.from(
      vscode.workspace.onDidChangeConfiguration((event) => {
        if (event.affectsConfiguration("burstline.hints")) {
          this.update();
        }
      }),
      vscode.window.onDidChangeActiveTextEditor(() => {
        this.update();
      }),
      vscode.workspace.onDidCloseTextDocument((document) => this.asked.delete(document.uri.toString())),
      server.onDidChange(() => {
        this.asked.clear();
        this.update();
      }),
    );
    this.update();
  }

  dispose(): void {
    this.disposables.dispose();
  }

  async show(): Promise<void> {
    await (preset() === "on_demand" ? this.ask() : set("hints", "normal"));
  }

  async hide(): Promise<void> {
    await (preset() === "on_demand" ? this.ask() : set("hints", "off"));
  }

  /** The server remembers for each file whether its hints are on. */
  private async ask(): Promise<void> {
    const uri = openCl()?.document.uri.toString();
    if (uri === undefined) {
      return;
    }
    if ((await this.server.execute<boolean>("burstline.toggleHints", uri)) === true) {
      this.asked.add(uri);
    } else {
      this.asked.delete(uri);
    }
    this.update();
  }

  private update(): void {
    const uri = openCl()?.document.uri.toString() ?? "";
    const shown = preset() === "on_demand" ? this.asked.has(uri) : preset() !== "off";
    void vscode.commands.executeCommand("setContext", "burstline.hintsShown", shown);
  }
}

function preset(): Preset {
  return settingsInFront().get<Preset>("hints", "normal");
}
