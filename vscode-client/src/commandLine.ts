/** Runs the program's command line and shows what it prints in a read-only document. */
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import * as vscode from "vscode";
import type { Server } from "./server";

const run = promisify(execFile);
const SCHEME = "burstline";

export class CommandLine implements vscode.Disposable {
  private readonly texts = new Map<string, string>();
  private readonly changed = new vscode.EventEmitter<vscode.Uri>();
  private readonly registration: vscode.Disposable;

  constructor(
    private readonly server: Server,
    private readonly output: vscode.LogOutputChannel,
  ) {
    this.registration = vscode.Disposable.from(
      this.changed,
      vscode.workspace.registerTextDocumentContentProvider(SCHEME, {
        onDidChange: this.changed.event,
        provideTextDocumentContent: (uri) => this.texts.get(uri.path) ?? "",
      }),
    );
  }

  dispose(): void {
    this.registration.dispose();
  }

  /** What a command prints in `folder`; undefined, after telling why, where it fails. */
  async answer(words: string[], folder?: string): Promise<string | undefined> {
    const program = this.server.program;
    if (program === undefined) {
      void vscode.window.showErrorMessage(this.server.problem ?? vscode.l10n.t("The server is not running."));
      return undefined;
    }
    try {
      const options = { cwd: folder ?? program.cwd, maxBuffer: 32 << 20, env: { ...process.env, PYTHONUTF8: "1" } };
      const title = vscode.l10n.t("Burstline: {0}", words[0] ?? "");
      const printed = vscode.window.withProgress({ location: vscode.ProgressLocation.Window, title }, () =>
        run(program.command, [...program.args, ...words], options),
      );
      return (await printed).stdout;
    } catch (error) {
      const stderr = error instanceof Error && "stderr" in error ? String(error.stderr).trim() : "";
      this.output.error(`${words.join(" ")}: ${stderr === "" ? String(error) : stderr}`);
      void vscode.window.showErrorMessage(stderr.split("\n").at(-1) ?? String(error));
      return undefined;
    }
  }

  /** Shows a text next to the kernels, under a title; the same title again replaces it. */
  async show(title: string, text: string): Promise<void> {
    const uri = vscode.Uri.from({ scheme: SCHEME, path: `/${title}` });
    this.texts.set(uri.path, text);
    this.changed.fire(uri);
    const document = await vscode.workspace.openTextDocument(uri);
    await vscode.window.showTextDocument(document, { viewColumn: vscode.ViewColumn.Beside, preview: true });
  }
}
