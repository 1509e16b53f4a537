/** Tests inside the extension host of a real VS Code, on the installed extension; the folder is a copy of examples/. */
import * as assert from "node:assert/strict";
import * as path from "node:path";
import * as vscode from "vscode";
import { parsed } from "../../src/commands/launch";
import { some, until } from "../until";

type Test = () => Promise<void>;

const TOUR = "tour.cl";
const OTHER = `// burstline: global_size=(1048576)
__kernel void f(__global int *x) { x[get_global_id(0)] = 1; }
`;
/** Open a kernel of its own in a folder whose burstline.toml can be written; both are as before afterwards. */
async function withOther(
  text: string,
  test: (uri: vscode.Uri, settings: (written: string) => Promise<void>) => Promise<void>,
): Promise<void> {
  const file = vscode.Uri.joinPath(folder(), "paper", "other.cl");
  const toml = vscode.Uri.joinPath(folder(), "paper", "burstline.toml");
  const original = await vscode.workspace.fs.readFile(toml);
  await vscode.workspace.fs.writeFile(file, Buffer.from(text));
  try {
    const { uri } = await open("paper/other.cl");
    await test(uri, async (written) => vscode.workspace.fs.writeFile(toml, Buffer.from(written)));
  } finally {
    await vscode.workspace.fs.writeFile(toml, original);
    await vscode.workspace.fs.delete(file);
  }
}

const WHOLE = new vscode.Range(0, 0, 10_000, 0);

const tests: Record<string, Test> = {
  async "findings name their code and page"() {
    const { uri } = await open(TOUR);
    const found = await until("findings", () => some(vscode.languages.getDiagnostics(uri)));
    const code = found.map((one) => one.code).find((one) => typeof one === "object" && one.value === "BL102");
    assert.ok(typeof code === "object");
    assert.match(code.target.fsPath, /BL102\.md$/);
  },

  async "hints give the time and the share of lines, or the unit behind each access"() {
    const { uri } = await open(TOUR);
    await until("coloured hints in place of the editor's", async () => (await hints(uri)).length === 0);
    await configure("colored_hints", false); // for the tests of hints that follow, too
    const labels = await until("hints", async () => some(await hints(uri)));
    assert.ok(labels.length > 1 && labels.every((label) => /^[\d.]+ [mµn]?s · \d+ %$/.test(label)), labels.join());
    await configure("hints", "everything");
    const units = await until("units", async () => {
      const all = await hints(uri);
      return all.some((label) => label.startsWith("ATOMIC")) ? all : undefined;
    });
    assert.ok(units.some((label) => /^BCNA 64 B · [\d.]+ ms$/.test(label)), units.join());
    await configure("hints", undefined);
  },

  async "hovering an access shows its card"() {
    const document = await open(TOUR);
    const place = document.positionAt(document.getText().indexOf("quotes[i]"));
    const cards = await until("a card", async () =>
      some(await vscode.commands.executeCommand<vscode.Hover[]>("vscode.executeHoverProvider", document.uri, place)),
    );
    const text = cards.flatMap(({ contents }) => contents.map((one) => (one as vscode.MarkdownString).value)).join("\n");
    assert.match(text, /quotes\[i\]\.close · load/);
    assert.match(text, /Burst-coalesced non-aligned/);
  },

  async "a line over each kernel sums up"() {
    const { uri } = await open(TOUR);
    const titles = await lenses(uri);
    assert.equal(titles.length, 4);
    assert.match(titles[0] ?? "", /≈ [\d.]+ ms.* · memory-bound/);
  },

  async "a fix changes the figures, and the lens says what its title promised"() {
    const { uri } = await open(TOUR);
    const before = (await lenses(uri))[2];
    const action = await until("the fix", async () => {
      const document = await open(TOUR);
      const place = document.positionAt(document.getText().indexOf("index[i]"));
      const range = new vscode.Range(place, place);
      const offered = await vscode.commands.executeCommand<vscode.CodeAction[]>(
        "vscode.executeCodeActionProvider", document.uri, range, undefined, 20,
      ); // prettier-ignore
      return offered.find(({ title }) => title.startsWith("Unroll the loop over i"));
    });
    const [, least, most = "nothing"] = /→ (?:([\d.]+)–)?([\d.]+ ms)/.exec(action.title) ?? [];
    const promised = least === undefined ? most : `${least} ms to ${most}`;
    assert.ok(action.edit !== undefined, action.title);
    assert.ok(await vscode.workspace.applyEdit(action.edit));
    const after = await until("new figures", async () => {
      const title = (await lenses(uri))[2];
      return title !== before && title;
    });
    assert.ok(after.includes(promised), `${action.title} / ${after}`);
    await vscode.commands.executeCommand("workbench.action.files.revert");
  },

  async "a finding is explained by its page, as text to read"() {
    const { uri } = await open(TOUR);
    const found = await until("a finding", () =>
      vscode.languages.getDiagnostics(uri).find(({ source }) => source === "burstline"),
    );
    const offered = await vscode.commands.executeCommand<(vscode.CodeAction | vscode.Command)[]>(
      "vscode.executeCodeActionProvider", uri, found.range,
    ); // prettier-ignore
    const explain = offered.find(({ title }) => /^Explain BL\d+$/.test(title));
    const command = typeof explain?.command === "string" ? (explain as vscode.Command) : explain?.command;
    assert.ok(command, offered.map(({ title }) => title).join());
    await vscode.commands.executeCommand(command.command, ...((command.arguments ?? []) as unknown[]));
    const page = `Preview ${(explain?.title ?? "").replace("Explain ", "")}.md`;
    await until(page, () =>
      vscode.window.tabGroups.all.some(({ tabs }) => tabs.some(({ label }) => label.endsWith(page))),
    );
    await vscode.commands.executeCommand("workbench.action.closeActiveEditor");
  },

  async "the board of burstline.toml holds whatever the editor names"() {
    await withOther(OTHER, async (uri, settings) => {
      await settings('board = "p520"\n');
      await until("a lens with the file's board", async () => (await lenses(uri))[0]?.includes("143 µs"));
      await configure("board", "s10gx_ddr4_2666");
      await settings("");
      await until("a lens with the editor's board", async () => (await lenses(uri))[0]?.includes("207 µs"));
      await settings('board = "p520"\n');
      await until("the file's board again", async () => (await lenses(uri))[0]?.includes("143 µs"));
      await configure("board", undefined);
    });
  },

  async "the keys of burstline.toml are completed"() {
    const document = await open("burstline.toml");
    const place = document.lineAt(document.lineCount - 1).range.end;
    const labels = await until("completions", async () => {
      const found = await vscode.commands.executeCommand<vscode.CompletionList>(
        "vscode.executeCompletionItemProvider",
        document.uri,
        place,
      );
      return some(found.items.map(({ label }) => (typeof label === "string" ? label : label.label)));
    });
    assert.ok(labels.some((label) => label.startsWith("f_max_mhz") || label.startsWith("global_size")), labels.join());
  },

  async "built-ins are completed and explained"() {
    const document = await open(TOUR);
    const place = document.positionAt(document.getText().indexOf("get_global_id") + 5);
    const found = await vscode.commands.executeCommand<vscode.CompletionList>(
      "vscode.executeCompletionItemProvider",
      document.uri,
      place,
    );
    const labels = found.items.map(({ label }) => (typeof label === "string" ? label : label.label));
    assert.ok(labels.includes("get_global_id"), labels.join());
  },

  async "hints are hidden and shown"() {
    const { uri } = await open(TOUR);
    await until("hints", async () => some(await hints(uri)));
    await vscode.commands.executeCommand("burstline.hideHints");
    await until("no hints", async () => (await hints(uri)).length === 0);
    await vscode.commands.executeCommand("burstline.showHints");
    await until("hints again", async () => some(await hints(uri)));
    await configure("hints", undefined);
  },

  async "hints on demand are asked for file by file"() {
    const { uri } = await open(TOUR);
    await configure("hints", "on_demand");
    await until("no hints", async () => (await hints(uri)).length === 0);
    await vscode.commands.executeCommand("burstline.showHints");
    await until("hints", async () => some(await hints(uri)));
    await vscode.commands.executeCommand("burstline.hideHints");
    await until("no hints again", async () => (await hints(uri)).length === 0);
    await configure("hints", undefined);
  },

  async "a launch given in the settings changes the figures"() {
    await withOther(OTHER.replace(/^.*\n/, ""), async (uri) => {
      await until("assumed sizes", async () => (await lenses(uri)).some((title) => title.includes("at assumed sizes")));
      await configure("kernels", { f: { global_size: [1024] } });
      await until("another figure", async () => !(await lenses(uri)).join().includes("at assumed sizes"));
      await configure("kernels", undefined);
    });
  },

  async "a launch is read as it is written"() {
    assert.deepEqual(parsed("4096, 4096  n = 512"), { global_size: [4096, 4096], arguments: { n: 512 } });
    assert.deepEqual(parsed(""), {});
    for (const wrong of ["0", "1,2,3,4", "n=x", "12 13", "-5", "n=1.5"]) {
      assert.equal(typeof parsed(wrong), "string", wrong);
    }
    return Promise.resolve();
  },

  async "an interpreter that does not fit is told, and another one helps"() {
    const { uri } = await open(TOUR);
    await configure("server.interpreter", "/nowhere/python3");
    await until("no lenses", async () => (await lenses(uri)).length === 0);
    await configure("server.interpreter", undefined);
    await until("lenses", async () => (await lenses(uri)).length === 4);
  },

  async "a folder's own settings hold for its files, and are the ones that commands change"() {
    const { uri } = await open(TOUR);
    const { WorkspaceFolder } = vscode.ConfigurationTarget;
    const settings = (): vscode.WorkspaceConfiguration => vscode.workspace.getConfiguration("burstline", uri);
    const hidden = async (): Promise<boolean> => (await hints(uri)).length === 0;
    await withOther(OTHER, async (other, toml) => {
      await toml("");
      await settings().update("board", "s10gx_ddr4_2666", WorkspaceFolder);
      await until("a lens with the folder's board", async () => (await lenses(other))[0]?.includes("207 µs"));
      await settings().update("board", undefined, WorkspaceFolder);
    });
    await open(TOUR);
    await settings().update("hints", "everything", WorkspaceFolder);
    await until("hints", async () => !(await hidden()));
    await vscode.commands.executeCommand("burstline.hideHints");
    assert.equal(settings().inspect("hints")?.workspaceFolderValue, "off");
    await until("no hints", hidden);
    await settings().update("hints", undefined, WorkspaceFolder);
  },

  async "notifications are shown again on request"() {
    await open(TOUR);
    const folder = vscode.Uri.file(path.join(process.env["XDG_STATE_HOME"] ?? "", "burstline", "notifications"));
    const kept = async (): Promise<number> => (await vscode.workspace.fs.readDirectory(folder)).length;
    await vscode.workspace.fs.writeFile(vscode.Uri.joinPath(folder, "cause"), new Uint8Array());
    assert.equal(await kept(), 1);
    await vscode.commands.executeCommand("burstline.showNotificationsAgain");
    assert.equal(await kept(), 0);
  },

  async "the server starts again"() {
    const { uri } = await open(TOUR);
    await vscode.commands.executeCommand("burstline.restart");
    await until("lenses", async () => (await lenses(uri)).length === 4);
  },

  async "a report that is none is refused, and nothing else happens"() {
    await open(TOUR);
    void vscode.commands.executeCommand("burstline.importReport", vscode.Uri.joinPath(folder(), TOUR));
    await new Promise((resolve) => setTimeout(resolve, 1500));
    assert.equal(vscode.window.activeTextEditor?.document.languageId, "opencl");
  },

  async "all three endings are OpenCL"() {
    for (const name of ["a.cl", "a.ocl", "a.clh"]) {
      const file = vscode.Uri.joinPath(folder(), name);
      await vscode.workspace.fs.writeFile(file, Buffer.from("\n"));
      assert.equal((await vscode.workspace.openTextDocument(file)).languageId, "opencl");
      await vscode.workspace.fs.delete(file);
    }
  },

  async "every command of the manifest is there"() {
    const manifest = vscode.extensions.getExtension("burstline.burstline")?.packageJSON as Manifest;
    const known = await vscode.commands.getCommands(true);
    const named = manifest.contributes.commands.map(({ command }) => command);
    assert.ok(named.length > 5);
    assert.deepEqual(named.filter((name) => !known.includes(name)), []); // prettier-ignore
  },
};

interface Manifest {
  contributes: { commands: { command: string }[] };
}

/** Called by the extension host; its promise fails where a test does. */
export async function run(): Promise<void> {
  let failed = 0;
  for (const [name, test] of Object.entries(tests)) {
    const start = Date.now();
    try {
      await test();
      console.log(`ok      ${name} (${String(Date.now() - start)} ms)`);
    } catch (error) {
      failed += 1;
      console.log(`FAILED  ${name}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
    }
  }
  await configure("colored_hints", undefined);
  if (failed > 0) {
    throw new Error(`${String(failed)} tests failed`);
  }
}

function folder(): vscode.Uri {
  const [first] = vscode.workspace.workspaceFolders ?? [];
  assert.ok(first);
  return first.uri;
}

async function open(name: string): Promise<vscode.TextDocument> {
  const document = await vscode.workspace.openTextDocument(vscode.Uri.joinPath(folder(), name));
  await vscode.window.showTextDocument(document, vscode.ViewColumn.One);
  return document;
}

async function hints(uri: vscode.Uri): Promise<string[]> {
  const found = await vscode.commands.executeCommand<vscode.InlayHint[]>("vscode.executeInlayHintProvider", uri, WHOLE);
  return found.map(({ label }) => (typeof label === "string" ? label : label.map(({ value }) => value).join("")));
}

async function lenses(uri: vscode.Uri): Promise<string[]> {
  const found = await vscode.commands.executeCommand<vscode.CodeLens[]>("vscode.executeCodeLensProvider", uri, 100);
  return found.map(({ command }) => command?.title ?? "");
}

async function configure(name: string, value: unknown): Promise<void> {
  const target = vscode.ConfigurationTarget.Workspace;
  await vscode.workspace.getConfiguration("burstline").update(name, value, target);
}
