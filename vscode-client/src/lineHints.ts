/**
 * Hints at the ends of lines, coloured by their share of the kernel's time. The editor's own inlay hints have one colour
 * for all, so these are decorations; they come where and when the editor would draw inlay hints.
 */
import * as vscode from "vscode";

/** What the server sends with a hint: the share of the kernel's time that its line takes, where it is of a line. */
interface Data {
  share?: number;
}

/** The hints of a file, at their places in this version of its text. */
interface Shown {
  version: number;
  hints: Sent[];
  /** When the text was changed for the last time. */
  changed_ms: number;
  /** Runs while a drawing waits for the text to rest. */
  waits: NodeJS.Timeout | undefined;
  /** A drawing is on its way to the editor. */
  sent: boolean;
  /** What is on its way, or what is drawn, may be at other lines: it has to be drawn again. */
  doubtful: boolean;
}

/** An inlay hint as it came from the server: the language client keeps `data` on it. */
type Sent = vscode.InlayHint & { data?: Data };
type Provide = (
  document: vscode.TextDocument,
  range: vscode.Range,
  token: vscode.CancellationToken,
) => vscode.ProviderResult<vscode.InlayHint[]>;
type Resolve = (hint: vscode.InlayHint, token: vscode.CancellationToken) => vscode.ProviderResult<vscode.InlayHint>;

const MOST = 0.5;
const MUCH = 0.2;
/** The editor moves by itself what it has drawn: nothing is drawn before the text has rested for so long. */
const REST_MS = 300;
const FIRST_ANSWER_MS = 500;

export class LineHints implements vscode.Disposable {
  private readonly drawn = vscode.window.createTextEditorDecorationType({
    isWholeLine: true, // so that the text stays behind the line's end, whatever is typed there
    rangeBehavior: vscode.DecorationRangeBehavior.ClosedClosed,
  });
  private readonly shown = new Map<string, Shown>();
  private readonly again = new vscode.EventEmitter<void>();
  private readonly disposables: vscode.Disposable;
  private resolve: Resolve | undefined;

  constructor() {
    this.disposables = vscode.Disposable.from(
      this.drawn,
      vscode.window.onDidChangeVisibleTextEditors((editors) => {
        for (const { document } of editors) {
          const shown = this.shown.get(document.uri.toString());
          if (shown !== undefined) {
            void this.draw(document, shown);
          }
        }
      }),
      vscode.workspace.onDidChangeTextDocument((event) => {
        this.move(event);
      }),
      vscode.workspace.onDidCloseTextDocument((document) => {
        this.clear((uri) => uri === document.uri.toString());
      }),
      vscode.workspace.onDidChangeConfiguration((event) => {
        if (event.affectsConfiguration("editor.inlayHints") || event.affectsConfiguration("burstline")) {
          this.clearWhereOff();
          this.again.fire();
          // While the editor waits for its first answer after hints were off, it does not hear that it should ask again.
          setTimeout(() => {
            this.again.fire();
          }, FIRST_ANSWER_MS);
        }
      }),
      this.again,
      // The editor asks anew when its settings change, which may be before they are known here: it is made to ask again.
      vscode.languages.registerInlayHintsProvider({ language: "opencl" }, {
        onDidChangeInlayHints: this.again.event,
        provideInlayHints: () => [],
      }),
      vscode.languages.registerHoverProvider({ language: "opencl" }, {
        provideHover: (document, place, token) => this.hover(document, place, token),
      }),
    );
  }

  /** Takes all hints away when no server runs. */
  follow(server: { readonly running: boolean; readonly onDidChange: vscode.Event<void> }): vscode.Disposable {
    return server.onDidChange(() => {
      if (!server.running) {
        this.clear(() => true);
      }
    });
  }

  dispose(): void {
    this.clear(() => true);
    this.disposables.dispose();
  }

  /** The client's inlay hints, without those that are drawn here. */
  provide = async (
    document: vscode.TextDocument,
    range: vscode.Range,
    token: vscode.CancellationToken,
    next: Provide,
  ): Promise<vscode.InlayHint[] | null | undefined> => {
    const { version } = document;
    const whole = new vscode.Range(0, 0, document.lineCount, 0);
    const found = (await next(document, whole, token)) as Sent[] | null | undefined;
    if (!coloured(document)) { // asked after the answer: settings may have changed meanwhile
      this.clear((uri) => uri === document.uri.toString());
      return found?.filter(({ position }) => range.contains(position));
    }
    if (found === null || found === undefined || token.isCancellationRequested || document.version !== version) {
      return found === null || found === undefined ? found : []; // the text has moved on: what is drawn stays
    }
    const hints = found.filter(ofLine);
    const before = this.shown.get(document.uri.toString());
    const same = before !== undefined && !before.doubtful && likeness(before.hints) === likeness(hints);
    const shown = before ?? { changed_ms: -REST_MS, waits: undefined, sent: false, doubtful: true, version, hints };
    this.shown.set(document.uri.toString(), Object.assign(shown, { version, hints }));
    if (!same) {
      this.drawAtRest(document, shown);
    }
    return found.filter((hint) => !ofLine(hint));
  };

  /** Keeps the client's way of filling in a hint's card. */
  resolved = (
    hint: vscode.InlayHint,
    token: vscode.CancellationToken,
    next: Resolve,
  ): vscode.ProviderResult<vscode.InlayHint> => {
    this.resolve = next;
    return next(hint, token);
  };

  private drawAtRest(document: vscode.TextDocument, shown: Shown): void {
    shown.doubtful = true;
    if (shown.waits !== undefined) {
      return;
    }
    const wait_ms = shown.changed_ms + REST_MS - performance.now();
    if (wait_ms <= 0) {
      void this.draw(document, shown);
      return;
    }
    shown.waits = setTimeout(() => {
      shown.waits = undefined;
      this.drawAtRest(document, shown);
    }, wait_ms);
  }

  /**
   * A drawing names lines, and the editor takes them for those of its text at the moment when it gets to it: on a busy
   * page after many more keys. Calls are answered in their order, so a call after the drawing comes back behind all
   * changes that the drawing met. Where one of them moved lines, the drawing is sent again.
   */
  private async draw(document: vscode.TextDocument, shown: Shown): Promise<void> {
    shown.doubtful = true;
    if (shown.sent) {
      return;
    }
    shown.sent = true;
    try {
      while (shown.doubtful && this.shown.get(document.uri.toString()) === shown) {
        shown.doubtful = false;
        const drawn = shown.hints.map((hint) => decoration(document, hint));
        for (const editor of vscode.window.visibleTextEditors.filter((one) => one.document === document)) {
          editor.setDecorations(this.drawn, drawn);
        }
        await vscode.commands.executeCommand("setContext", "burstline.hintsDrawn", true);
      }
    } catch {
      shown.doubtful = true; // the editor has gone: who asks next draws
    } finally {
      shown.sent = false;
    }
  }

  /** Keeps the hints at their lines, as the editor does with what it has drawn. */
  private move({ document, contentChanges }: vscode.TextDocumentChangeEvent): void {
    const shown = this.shown.get(document.uri.toString());
    if (shown === undefined || contentChanges.length === 0) {
      return;
    }
    const { length } = shown.hints;
    shown.version = document.version;
    shown.changed_ms = performance.now();
    let touched = false;
    let lines = false;
    for (const change of contentChanges) {
      const { start, end } = change.range;
      touched ||= shown.hints.some(({ position: { line } }) => start.line <= line && line <= end.line);
      lines ||= start.line !== end.line || change.text.includes("\n");
      shown.hints = shown.hints.flatMap((hint) => moved(document, hint, change));
    }
    if (shown.hints.length < length) {
      void this.draw(document, shown); // or the hint of a line that is gone stays, at the next one
    }
    if (touched) {
      this.drawAtRest(document, shown);
    }
    shown.doubtful ||= lines && shown.sent;
  }

  private clear(where: (uri: string) => boolean): void {
    for (const uri of [...this.shown.keys()].filter(where)) {
      clearTimeout(this.shown.get(uri)?.waits);
      this.shown.delete(uri);
      for (const editor of vscode.window.visibleTextEditors) {
        if (editor.document.uri.toString() === uri) {
          editor.setDecorations(this.drawn, []);
        }
      }
    }
  }

  private clearWhereOff(): void {
    const open = vscode.workspace.textDocuments;
    this.clear((uri) => {
      const document = open.find((one) => one.uri.toString() === uri);
      return document === undefined || !coloured(document);
    });
  }

  /** The card behind a hint, where the pointer is on it: right of the line's end. */
  private async hover(
    document: vscode.TextDocument,
    place: vscode.Position,
    token: vscode.CancellationToken,
  ): Promise<vscode.Hover | undefined> {
    const end = document.lineAt(place.line).range.end;
    const shown = this.shown.get(document.uri.toString());
    const hint = shown?.hints.find(({ position }) => position.line === place.line);
    if (hint === undefined || shown?.version !== document.version || place.isBefore(end) || this.resolve === undefined) {
      return undefined;
    }
    const { tooltip } = (await this.resolve(hint, token)) ?? {};
    return tooltip === undefined ? undefined : new vscode.Hover(tooltip, new vscode.Range(end, end));
  }
}

/** The hint on the line where its text is after a change; none where its line was taken out. */
function moved(
  document: vscode.TextDocument,
  hint: Sent,
  { range: { start, end }, text }: vscode.TextDocumentContentChangeEvent,
): Sent[] {
  const { line, character } = hint.position;
  const inFront = (): string => document.lineAt(Math.min(line, document.lineCount - 1)).text.slice(0, start.character);
  if (line < start.line || (line === start.line && inFront().trim() !== "")) {
    return [hint];
  }
  if (line < end.line) {
    return [];
  }
  const by = text.split("\n").length - 1 - (end.line - start.line);
  return [Object.assign(Object.create(hint) as Sent, { position: new vscode.Position(line + by, character) })];
}

/** What is to be seen of hints, as one string. */
function likeness(hints: readonly Sent[]): string {
  return JSON.stringify(hints.map((hint) => [hint.position.line, textOf(hint), hint.data?.share]));
}

function textOf({ label }: Sent): string {
  return typeof label === "string" ? label : label.map(({ value }) => value).join("");
}

function ofLine(hint: Sent): boolean {
  return hint.data?.share !== undefined;
}

/** Whether hints are drawn here: inlay hints are on, and nobody asked for the editor's plain ones. */
function coloured(document: vscode.TextDocument): boolean {
  const drawn = vscode.workspace.getConfiguration("editor.inlayHints", document).get<string>("enabled", "on");
  const own = vscode.workspace.getConfiguration("burstline", document).get<boolean>("colored_hints", true);
  return own && (drawn === "on" || drawn === "onUnlessPressed");
}

/** Held by the line's first letter, which typing elsewhere in the line does not touch. */
function decoration(document: vscode.TextDocument, hint: Sent): vscode.DecorationOptions {
  const line = document.lineAt(Math.min(hint.position.line, document.lineCount - 1));
  const first = line.firstNonWhitespaceCharacterIndex;
  const range = new vscode.Range(line.lineNumber, first, line.lineNumber, Math.min(first + 1, line.text.length));
  const share = hint.data?.share ?? 0;
  const colour = share >= MOST ? "burstline.mostOfTheTime" : share >= MUCH ? "burstline.muchOfTheTime" : "burstline.someOfTheTime";
  const after = { contentText: textOf(hint), color: new vscode.ThemeColor(colour), margin: "0 0 0 2ch", fontStyle: "normal" };
  return { range, renderOptions: { after } };
}
