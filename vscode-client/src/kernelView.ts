/** The kernel view: the server's own page in a panel that may load nothing from anywhere. */
import * as vscode from "vscode";
import { GIVE_SIZES } from "./commands/sizes";
import { kernelsOf, nearest } from "./kernels";
import type { Server } from "./server";
import { openCl } from "./settings";

/** What can be tried in the view without touching the settings. */
interface Overrides {
  f_max_mhz?: number;
  board?: string;
  sizes?: [string, string][];
  knobs?: [string, number][];
}

interface Applied {
  applied: boolean;
  messages: string[];
}

/**
 * What the page says: a place to show (from 1; `path` where it is in an included file), other inputs to try, sizes to
 * write to the source, a variant or an edit to make, or a chart to save (`data` is a data URL).
 */
type Message =
  | { type: "reveal"; path: string | null; line: number; column: number }
  | { type: "set"; overrides: Overrides | null }
  | { type: "keep"; sizes: Record<string, string> }
  | { type: "applyEdit"; kernel: string; edit: string }
  | { type: "apply"; kernel: string; setting: string }
  | { type: "save"; name: string; data: string };

/** The upper bound of what the page may do, whatever policy it brings itself: its own text, and nothing else. */
const POLICY = [
  "default-src 'none'",
  "script-src 'unsafe-inline'",
  "style-src 'unsafe-inline'",
  "img-src data: blob:",
  "base-uri 'none'",
  "form-action 'none'",
].join("; ");

/** How long the caret rests before the page follows it. */
const CARET_MS = 150;

export class KernelView implements vscode.Disposable {
  private panel: vscode.WebviewPanel | undefined;
  private asked = 0;
  private caret: NodeJS.Timeout | undefined;
  private shown: { uri: vscode.Uri; kernel: string; overrides?: Overrides | undefined } | undefined;
  private readonly disposables: vscode.Disposable;

  constructor(
    private readonly server: () => Server | undefined,
    private readonly output: vscode.LogOutputChannel,
  ) {
    this.disposables = vscode.Disposable.from(
      vscode.window.onDidChangeTextEditorSelection(({ textEditor, kind }) => {
        if (this.panel?.visible === true && kind !== undefined) {
          clearTimeout(this.caret);
          this.caret = setTimeout(() => void this.followCaret(textEditor), CARET_MS);
        }
      }),
      vscode.languages.onDidChangeDiagnostics((event) => {
        if (event.uris.some((uri) => uri.toString() === this.shown?.uri.toString())) {
          void this.update();
        }
      }),
    );
  }

  dispose(): void {
    this.panel?.dispose();
    this.disposables.dispose();
  }

  /** Says in the title when the page is old because the server has ended, and brings it up to date when it is back. */
  follow(server: Server): vscode.Disposable {
    return server.onDidChange(() => {
      if (this.panel === undefined || this.shown === undefined) {
        return;
      }
      const { kernel } = this.shown;
      this.panel.title = server.ended === undefined ? kernel : vscode.l10n.t("{0} (old: the server has stopped)", kernel);
      void this.update();
    });
  }

  /** Shows the kernel around the caret, or the nearest one. */
  async showAtCaret(part?: "variants"): Promise<void> {
    const editor = openCl();
    const kernel = editor && nearest(await kernelsOf(editor.document.uri), editor.selection.active);
    if (editor === undefined || kernel === undefined) {
      void vscode.window.showInformationMessage(vscode.l10n.t("There is no kernel in this file."));
      return;
    }
    await this.show(editor.document.uri, kernel.name, part);
  }

  /** Shows the kernel that the caret has reached, and marks its line. */
  private async followCaret(editor: vscode.TextEditor): Promise<void> {
    if (openCl(editor) === undefined || this.panel === undefined) {
      return;
    }
    const { document, selection } = editor;
    const kernel = nearest(await kernelsOf(document.uri), selection.active);
    if (kernel === undefined) {
      return;
    }
    if (kernel.name !== this.shown?.kernel || document.uri.toString() !== this.shown.uri.toString()) {
      this.shown = { uri: document.uri, kernel: kernel.name };
      this.panel.title = kernel.name;
      await this.panel.webview.postMessage({ type: "forget" });
      await this.update();
    }
    await this.panel.webview.postMessage({ type: "caret", line: selection.active.line + 1 });
  }

  /** Shows a kernel; where the server has no page for it, its card at its name. */
  async show(uri: vscode.Uri, kernel: string, part?: "variants"): Promise<void> {
    const page = await this.ask<{ html: string }>("burstline/view", { uri: uri.toString(), kernel });
    if (page === undefined) {
      this.output.info(vscode.l10n.t("The server has no kernel view; the card of {0} is shown instead.", kernel));
      await showCard(uri, kernel);
      return;
    }
    this.shown = { uri, kernel };
    const panel = this.panel ?? this.open();
    panel.title = kernel;
    panel.webview.html = restricted(page.html);
    panel.reveal(undefined, true);
    if (part !== undefined) {
      await panel.webview.postMessage({ type: part });
    }
    void this.sendEdits(++this.asked);
  }

  private open(): vscode.WebviewPanel {
    const panel = vscode.window.createWebviewPanel(
      "burstline.kernelView",
      "Burstline",
      { viewColumn: vscode.ViewColumn.Beside, preserveFocus: true },
      { enableScripts: true, localResourceRoots: [], enableForms: false },
    );
    panel.webview.onDidReceiveMessage((message: Message) => void this.receive(message));
    panel.onDidDispose(() => {
      this.panel = undefined;
      this.shown = undefined;
    });
    this.panel = panel;
    return panel;
  }

  private async receive(message: Message): Promise<void> {
    if (this.shown === undefined) {
      return;
    }
    switch (message.type) {
      case "set":
        this.shown.overrides = message.overrides ?? undefined;
        await this.update();
        break;
      case "keep": {
        const { uri, kernel } = this.shown;
        this.shown.overrides = undefined;
        await this.server()?.execute(GIVE_SIZES, uri.toString(), kernel, message.sizes);
        break;
      }
      case "apply":
        await this.apply("burstline/applyVariant", { kernel: message.kernel, setting: message.setting });
        break;
      case "applyEdit":
        await this.apply("burstline/applyEdit", { kernel: message.kernel, edit: message.edit });
        break;
      case "save":
        await save(this.shown.uri, message.name, message.data);
        break;
      case "reveal": {
        const place = new vscode.Position(Math.max(message.line - 1, 0), Math.max(message.column - 1, 0));
        await reveal(message.path === null ? this.shown.uri : vscode.Uri.file(message.path), place);
      }
    }
  }

  /** Has the server edit the kernel; says why it did not, and what is left to do outside the text. */
  private async apply(method: string, what: { kernel: string; setting?: string; edit?: string }): Promise<void> {
    const answer = await this.ask<Applied>(method, { uri: this.shown?.uri.toString(), ...what });
    if (answer !== undefined && answer.messages.length > 0) {
      void vscode.window.showInformationMessage(answer.messages.join("; "));
    }
  }

  /** Sends the page what holds now: after an edit, or under other inputs. */
  private async update(): Promise<void> {
    if (this.shown === undefined) {
      return;
    }
    const { uri, kernel, overrides } = this.shown;
    const number = ++this.asked;
    const document = await this.ask("burstline/viewDocument", { uri: uri.toString(), kernel, overrides });
    if (document !== undefined && number === this.asked) {
      await this.panel?.webview.postMessage({ type: "update", document });
      await this.sendEdits(number);
    }
  }

  /** Sends the page the edits of the kernel, which take longer to try than the rest. */
  private async sendEdits(number: number): Promise<void> {
    if (this.shown === undefined) {
      return;
    }
    const { uri, kernel, overrides } = this.shown;
    const answer = await this.ask<{ edits: unknown[] }>("burstline/viewEdits", { uri: uri.toString(), kernel, overrides });
    if (answer !== undefined && number === this.asked) {
      await this.panel?.webview.postMessage({ type: "edits", kernel, edits: answer.edits });
    }
  }

  private async ask<Answer>(method: string, params: unknown): Promise<Answer | undefined> {
    return this.server()?.ask<Answer>(method, params);
  }
}

function restricted(html: string): string {
  return html.replace(/<head[^>]*>/i, (head) => `${head}<meta http-equiv="Content-Security-Policy" content="${POLICY}">`);
}

/** Writes a chart where the user says, next to the kernel at first. */
async function save(kernel: vscode.Uri, name: string, data: string): Promise<void> {
  const target = await vscode.window.showSaveDialog({ defaultUri: vscode.Uri.joinPath(kernel, "..", name) });
  if (target !== undefined) {
    const bytes = Buffer.from(data.slice(data.indexOf(",") + 1), "base64");
    await vscode.workspace.fs.writeFile(target, bytes);
  }
}

async function reveal(uri: vscode.Uri, place: vscode.Position): Promise<void> {
  const open = vscode.window.visibleTextEditors.find((editor) => editor.document.uri.toString() === uri.toString());
  const options = { selection: new vscode.Range(place, place), viewColumn: open?.viewColumn ?? vscode.ViewColumn.One };
  await vscode.window.showTextDocument(uri, options);
}

async function showCard(uri: vscode.Uri, name: string): Promise<void> {
  const kernel = (await kernelsOf(uri)).find((one) => one.name === name);
  if (kernel !== undefined) {
    await reveal(uri, kernel.place);
    await vscode.commands.executeCommand("editor.action.showHover");
  }
}
