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
  /** When they were sent to the editor for the last time. */
  drawn_ms: number;
  /** A line with a hint was changed: what the editor has drawn there may have moved in another way. */
  touched: boolean;
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
/** For so long after it was sent, a drawing may meet a text that the editor has already changed. */
const UNDERWAY_MS = 2000;
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
        for (const editor of editors) {
          this.draw(editor);
        }
      }),
      vscode.workspace.onDidChangeTextDocument((event) => {
        this.move(event);
      }),
      vscode.workspace.onDidCloseTextDocument((document) => this.shown.delete(document.uri.toString())),
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
    const uri = document.uri.toString();
    const drawn = this.shown.get(uri);
    const hints = found.filter(ofLine);
    // An editor that is busy draws late, then at lines of a text that is no longer there: only what is new is drawn.
    const same = drawn !== undefined && !drawn.touched && likeness(drawn.hints) === likeness(hints);
    this.shown.set(uri, { version, hints, drawn_ms: drawn?.drawn_ms ?? 0, touched: false });
    if (!same) {
      this.drawAll(document);
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

  private drawAll(document: vscode.TextDocument): void {
    for (const editor of vscode.window.visibleTextEditors) {
      if (editor.document === document) {
        this.draw(editor);
      }
    }
  }

  private draw(editor: vscode.TextEditor): void {
    const shown = this.shown.get(editor.document.uri.toString());
    if (shown?.version === editor.document.version) {
      shown.drawn_ms = Date.now();
      editor.setDecorations(this.drawn, shown.hints.map((hint) => decoration(editor.document, hint)));
    }
  }

  /**
   * Keeps the hints at their lines. The editor moves what it has drawn by itself; but a drawing that was on its way when
   * a line came in is one line off, so it is sent again.
   */
  private move({ document, contentChanges }: vscode.TextDocumentChangeEvent): void {
    const shown = this.shown.get(document.uri.toString());
    if (shown === undefined) {
      return;
    }
    shown.version = document.version;
    for (const change of contentChanges) {
      const { start, end } = change.range;
      shown.touched ||= shown.hints.some(({ position: { line } }) => start.line <= line && line <= end.line);
      shown.hints = shown.hints.flatMap((hint) => moved(document, hint, change));
    }
    const lines = contentChanges.some(({ range, text }) => !range.isSingleLine || text.includes("\n"));
    if (lines && Date.now() - shown.drawn_ms < UNDERWAY_MS) {
      this.drawAll(document);
    }
  }

  private clear(where: (uri: string) => boolean): void {
    for (const uri of [...this.shown.keys()].filter(where)) {
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
