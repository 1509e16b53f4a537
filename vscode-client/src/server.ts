/** The language server's life: started from the bundle or a command, restarted, asked, stopped. */
import * as path from "node:path";
import * as vscode from "vscode";
import { LanguageClient, State, type LanguageClientOptions } from "vscode-languageclient/node";
import { askForSizes, GIVE_SIZES } from "./commands/sizes";
import { SHOW_KERNEL, SHOW_VARIANTS } from "./kernels";
import type { LineHints } from "./lineHints";
import { findPython } from "./python";
import { givenSettings } from "./settings";
import { firstTime } from "./notified";

/** The server's command behind the links of its cards. */
const MAKE_EDIT = "burstline.makeEdit";
const RULE_PAGE = /\/BL\d+\.md$/;
/** Extensions that run another server for OpenCL; what both could do is left to it. */
const OTHERS = { "galarius.vscode-opencl": "opencl-language-server" };

/**
 * How the program is started: the command and the arguments in front of a sub-command such as `serve`. `cwd` is where a
 * name without a folder is looked for first on Windows, so it is never the workspace for a name of ours.
 */
export interface Program {
  command: string;
  args: string[];
  cwd?: string;
}

export class Server implements vscode.Disposable {
  private client: LanguageClient | undefined;
  private readonly changed = new vscode.EventEmitter<void>();
  private readonly disposables: vscode.Disposable;
  private changing: Promise<void> = Promise.resolve();
  /** Fires when the server has started or stopped. */
  readonly onDidChange = this.changed.event;
  /** Why no server runs, as a short text; undefined while one does. */
  problem: string | undefined;
  /** Whether the server ended by itself: to be started again with a click, or already on its way. */
  ended: "stopped" | "starting" | undefined;
  /** How the program was started last. */
  program: Program | undefined;

  constructor(
    private readonly context: vscode.ExtensionContext,
    private readonly output: vscode.LogOutputChannel,
    private readonly showKernel: (uri: vscode.Uri, kernel: string, part?: "variants") => Promise<void>,
    private readonly lineHints: LineHints,
  ) {
    this.disposables = vscode.Disposable.from(
      this.changed,
      vscode.workspace.onDidChangeConfiguration((event) => {
        if (event.affectsConfiguration("burstline.server")) {
          void this.restart();
        }
      }),
      vscode.workspace.onDidGrantWorkspaceTrust(() => void this.restart()),
    );
  }

  /** Whether it answers. */
  get running(): boolean {
    return this.client?.state === State.Running;
  }

  /** Starts it; what is in the way is reported once and shown in the status bar. */
  start(): Promise<void> {
    return this.afterwards(() => this.begin());
  }

  stop(): Promise<void> {
    return this.afterwards(() => this.end());
  }

  restart(): Promise<void> {
    return this.afterwards(async () => {
      await this.end();
      await this.begin();
    });
  }

  /** Asks the server; undefined while none runs, or when it does not know the question. */
  async ask<Answer>(method: string, params: unknown): Promise<Answer | undefined> {
    if (!this.running) {
      return undefined;
    }
    try {
      return (await this.client?.sendRequest<Answer | null>(method, params)) ?? undefined;
    } catch (error) {
      this.output.debug(`${method}: ${String(error)}`);
      return undefined;
    }
  }

  /** Runs one of the server's own commands. */
  async execute<Answer>(command: string, ...words: unknown[]): Promise<Answer | undefined> {
    return this.ask<Answer>("workspace/executeCommand", { command, arguments: words });
  }

  dispose(): void {
    this.disposables.dispose();
  }

  /** One start or stop after the other. */
  private afterwards(step: () => Promise<void>): Promise<void> {
    this.changing = this.changing.then(step, step).finally(() => {
      this.changed.fire();
    });
    return this.changing;
  }

  private async begin(): Promise<void> {
    this.program = await this.find();
    if (this.program === undefined) {
      return;
    }
    const { command, args, cwd } = this.program;
    this.output.info(`starting ${[command, ...args].join(" ")} serve`);
    const started = { command, args: [...args, "serve"], options: cwd === undefined ? {} : { cwd } };
    const client = new LanguageClient("burstline", "Burstline", started, this.options());
    this.client = client;
    try {
      await client.start();
      this.problem = undefined;
      client.onDidChangeState(({ newState }) => {
        this.moved(client, newState);
      });
    } catch (error) {
      this.client = undefined;
      this.output.error(error instanceof Error ? error : String(error));
      this.problem = vscode.l10n.t("The server did not start: {0}", [command, ...args].join(" "));
      await this.guideOnce(this.problem, String(error));
    }
  }

  /** The server ended, or runs again, without anybody asking for it. */
  private moved(client: LanguageClient, state: State): void {
    if (client !== this.client) {
      return;
    }
    if (state === State.Running) {
      this.ended = this.problem = undefined;
    } else if (state === State.Starting) {
      this.ended = "starting";
      this.problem = vscode.l10n.t("The server has stopped and is starting again.");
    } else {
      this.ended = "stopped";
      this.problem = vscode.l10n.t("The server has stopped. Click to start it again.");
    }
    this.changed.fire();
  }

  private async end(): Promise<void> {
    const client = this.client;
    this.client = this.ended = undefined;
    try {
      if (client?.needsStop() === true) {
        await client.stop();
      }
      await client?.dispose();
    } catch (error) {
      this.output.warn(String(error)); // one that has ended by itself need not be stopped
    }
  }

  /** The command of the settings, or the bundle run by a Python that fits. */
  private async find(): Promise<Program | undefined> {
    const configured = vscode.workspace.getConfiguration("burstline").get<string[]>("server.command", []);
    const [command, ...words] = configured;
    if (command !== undefined) {
      return { command, args: words.at(-1) === "serve" ? words.slice(0, -1) : words };
    }
    const bundled = path.join(this.context.extensionPath, "bundled");
    const found = await findPython(bundled);
    if ("interpreter" in found) {
      this.output.info(`Python ${found.version}: ${found.interpreter}`);
      return { command: found.interpreter, args: ["-I", bundled], cwd: bundled };
    }
    for (const line of found.tried) {
      this.output.warn(line);
    }
    this.problem = vscode.l10n.t("Burstline needs Python 3.11, 3.12 or 3.13, and found none that fits.");
    await this.guideOnce(this.problem, ...found.tried);
    return undefined;
  }

  private async guideOnce(message: string, ...details: string[]): Promise<void> {
    if (await firstTime(this.context.globalState, [message, ...details].join("\n"))) {
      void this.guide(message);
    }
  }

  private async guide(message: string): Promise<void> {
    const settings = vscode.l10n.t("Open Settings");
    const install = vscode.l10n.t("Get Python");
    const log = vscode.l10n.t("Show Output");
    const answer = await vscode.window.showErrorMessage(message, settings, install, log);
    if (answer === settings) {
      await vscode.commands.executeCommand("workbench.action.openSettings", "burstline.server");
    } else if (answer === install) {
      await vscode.env.openExternal(vscode.Uri.parse("https://www.python.org/downloads/"));
    } else if (answer === log) {
      this.output.show();
    }
  }

  private options(): LanguageClientOptions {
    return {
      documentSelector: [
        { scheme: "file", language: "opencl" },
        { scheme: "untitled", language: "opencl" },
        { scheme: "file", pattern: "**/burstline.toml" },
      ],
      // A link of a card may make the edit that it names; no other command is trusted.
      markdown: { isTrusted: { enabledCommands: [MAKE_EDIT] } },
      initializationOptions: {
        commandLinks: true,
        otherServers: Object.entries(OTHERS)
          .filter(([extension]) => vscode.extensions.getExtension(extension) !== undefined)
          .map(([, name]) => name),
      },
      outputChannel: this.output,
      middleware: {
        provideInlayHints: this.lineHints.provide,
        resolveInlayHint: this.lineHints.resolved,
        executeCommand: async (command, words: unknown[], next) => {
          const [uri, kernel] = words;
          const shows = command === SHOW_KERNEL || command === SHOW_VARIANTS;
          if (shows && typeof uri === "string" && typeof kernel === "string") {
            await this.showKernel(vscode.Uri.parse(uri), kernel, command === SHOW_VARIANTS ? "variants" : undefined);
            return null;
          }
          if (command === GIVE_SIZES && words.length === 2 && typeof uri === "string" && typeof kernel === "string") {
            const sizes = await askForSizes(this, uri, kernel);
            return sizes === undefined ? false : (next(command, [uri, kernel, sizes]) as unknown);
          }
          return next(command, words) as unknown;
        },
        window: {
          // A page about a finding is to be read, not edited.
          showDocument: async (params, token, next) => {
            if (!RULE_PAGE.test(params.uri)) {
              return next(params, token);
            }
            await vscode.commands.executeCommand("markdown.showPreview", vscode.Uri.parse(params.uri));
            return { success: true };
          },
        },
        workspace: {
          configuration: (params) =>
            params.items.map((item) =>
              givenSettings(item.scopeUri === undefined ? undefined : vscode.Uri.parse(item.scopeUri)),
            ),
        },
      },
    };
  }
}
