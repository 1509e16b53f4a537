/** A real VS Code in a browser: its server with the built extension installed, and a page to drive it. */
import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import * as path from "node:path";
import { chromium, type Browser, type Page } from "playwright-core";
import { until } from "../until";

export const ROOT = path.resolve(__dirname, "../../../..");
const VSIX = path.join(ROOT, "dist", `burstline-${process.platform}-${process.arch}.vsix`);
/** Quiet, and the same on every machine. */
const SETTINGS = {
  "workbench.startupEditor": "none",
  "workbench.colorTheme": "Default Light Modern",
  "telemetry.telemetryLevel": "off",
  "update.mode": "none",
  "extensions.autoCheckUpdates": false,
  "extensions.autoUpdate": false,
  "workbench.enableExperiments": false,
  "workbench.tips.enabled": false,
  "chat.disableAIFeatures": true,
  "chat.commandCenter.enabled": false,
  "workbench.secondarySideBar.defaultVisibility": "hidden",
  "window.commandCenter": false,
  "workbench.layoutControl.enabled": false,
  "workbench.activityBar.location": "hidden",
  "breadcrumbs.enabled": false,
  "editor.minimap.enabled": false,
  "editor.fontSize": 13,
  "files.autoSave": "off",
  "git.enabled": false,
};

export class Workbench {
  private constructor(
    private readonly server: ChildProcess,
    private readonly browser: Browser,
    private readonly scratch: string,
    private readonly host: string,
    /** The folder that is open, a copy of the kernels. */
    readonly folder: string,
    /** Where the extension is installed. */
    readonly extension: string,
  ) {}

  /** Installs the extension beside nothing else, and starts a server and a browser on a copy of the kernels. */
  static async start(installed: string, chromiumPath: string, kernels = path.join(ROOT, "examples")): Promise<Workbench> {
    const scratch = mkdtempSync(path.join(tmpdir(), "burstline-vscode-"));
    const [folder, user, extensions] = ["kernels", "user", "extensions"].map((name) => path.join(scratch, name));
    if (folder === undefined || user === undefined || extensions === undefined) {
      throw new Error("unreachable");
    }
    cpSync(kernels, folder, { recursive: true });
    mkdirSync(path.join(user, "User"), { recursive: true });
    writeFileSync(path.join(user, "User", "settings.json"), JSON.stringify(SETTINGS));
    const own = path.join(installed, "node", "bin", "node");
    const node = existsSync(own) ? own : process.execPath;
    const entry = path.join(installed, "node_modules", "code-server", "out", "node", "entry.js");
    const folders = ["--user-data-dir", user, "--extensions-dir", extensions];
    const start = Date.now();
    const done = spawnSync(node, [entry, ...folders, "--install-extension", VSIX], { encoding: "utf8" });
    console.log(`installing the extension: ${((Date.now() - start) / 1000).toFixed(1)} s`);
    const [extension] = readdirSync(extensions).filter((name) => name.startsWith("burstline."));
    if (extension === undefined) {
      throw new Error(`the extension was not installed: ${done.stdout}${done.stderr}`);
    }
    const host = `127.0.0.1:${String(await freePort())}`;
    const quiet = ["--auth", "none", "--disable-telemetry", "--disable-update-check", "--disable-workspace-trust"];
    const server = spawn(node, [entry, ...folders, ...quiet, "--bind-addr", host, folder], {
      stdio: "ignore",
      // An unreachable gallery keeps the workbench from asking outside; what a user was told of stays out of it.
      env: {
        ...process.env,
        EXTENSIONS_GALLERY: JSON.stringify({ serviceUrl: "http://127.0.0.1:9/none" }),
        XDG_STATE_HOME: path.join(scratch, "state"),
      },
    });
    await until("the server", async () => (await fetch(`http://${host}/healthz`).catch(() => undefined))?.ok);
    const browser = await chromium.launch({
      executablePath: chromiumPath,
      args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"],
    });
    return new Workbench(server, browser, scratch, host, folder, path.join(extensions, extension));
  }

  async stop(): Promise<void> {
    await this.browser.close();
    const ended = new Promise((resolve) => this.server.once("exit", resolve));
    this.server.kill();
    await ended;
    rmSync(this.scratch, { recursive: true, force: true, maxRetries: 5 });
  }

  /** A page on the folder with one of its files open. */
  async open(file: string): Promise<Page> {
    const page = await this.page();
    await this.visit(page, [["openFile", this.remote(path.join(this.folder, file))]]);
    await page.waitForSelector(".editor-instance .view-line");
    return page;
  }

  /** Runs a suite inside the extension host; what it prints is printed, its exit status returned. */
  async runInHost(suite: string, timeout_ms = 240_000): Promise<number> {
    const page = await this.page();
    const exit = new Promise<number>((resolve, reject) => {
      setTimeout(() => {
        reject(new Error("the suite did not end"));
      }, timeout_ms).unref();
      void page.exposeFunction("codeAutomationExit", resolve);
    });
    await page.exposeFunction("codeAutomationLog", (_level: string, [said]: unknown[]) => {
      if (typeof said === "string" && /^(ok|FAILED) /.test(said)) {
        console.log(said); // the editor says much else
      }
    });
    // VS Code's later versions obey the suite's address only where their own smoke tests would.
    await page.addInitScript(() => {
      const id = "vscode-workbench-web-configuration";
      new MutationObserver((_changes, observer) => {
        const element = document.getElementById(id);
        if (element !== null) {
          observer.disconnect();
          const settings = JSON.parse(element.dataset["settings"] ?? "{}") as Record<string, object>;
          settings["developmentOptions"] = { ...settings["developmentOptions"], enableSmokeTestDriver: true };
          element.dataset["settings"] = JSON.stringify(settings);
        }
      }).observe(document, { childList: true, subtree: true });
    });
    const development = ["extensionDevelopmentPath", this.remote(this.extension)];
    await this.visit(page, [development, ["extensionTestsPath", this.remote(suite)], ["skipWelcome", "true"]]);
    const status = await exit;
    await page.close();
    return status;
  }

  private async page(): Promise<Page> {
    const page = await this.browser.newPage({ viewport: { width: 1080, height: 860 } });
    page.setDefaultTimeout(60_000);
    return page;
  }

  private async visit(page: Page, payload: string[][]): Promise<void> {
    const query = new URLSearchParams({ folder: this.folder, payload: JSON.stringify(payload) });
    await page.goto(`http://${this.host}/?${query.toString()}`, { waitUntil: "domcontentloaded" });
    await page.waitForSelector(".monaco-workbench");
  }

  private remote(file: string): string {
    return `vscode-remote://${this.host}${file}`;
  }
}

async function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once("error", reject);
    probe.listen(0, "127.0.0.1", () => {
      const address = probe.address();
      probe.close(() => {
        resolve(typeof address === "object" && address !== null ? address.port : 0);
      });
    });
  });
}
