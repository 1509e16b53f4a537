/** Finds a Python that can run the bundled server. */
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import * as path from "node:path";
import { promisify } from "node:util";
import { PythonExtension } from "@vscode/python-extension";
import * as vscode from "vscode";

const run = promisify(execFile);
const PROBE = `import json, sys, sysconfig
print(json.dumps([sys.executable, sys.version.split()[0], sysconfig.get_config_var("EXT_SUFFIX")]))`;
const VERSIONS = ["3.13", "3.12", "3.11"];
/** Windows has a launcher that knows where each version is; elsewhere each has a different name. */
const ON_PATH: Command[] =
  process.platform === "win32"
    ? [["python"], ...VERSIONS.map((version): Command => ["py", `-${version}`]), ["python3"]]
    : [["python3"], ...VERSIONS.map((version): Command => [`python${version}`]), ["python"]];

type Command = [program: string, ...words: string[]];

/** A Python that fits, or why each one that was tried does not. */
export type Found = { interpreter: string; version: string } | { tried: string[] };

/** The interpreter of the settings alone, where one is set; else the Python extension's choice, then the path. */
export async function findPython(bundled: string): Promise<Found> {
  const configured = vscode.workspace.getConfiguration("burstline").get<string>("server.interpreter", "").trim();
  // A workspace may bring an interpreter of its own, which only a trusted one may have run.
  const chosen = configured === "" && vscode.workspace.isTrusted ? await chosenInPythonExtension() : undefined;
  const named: Command[] = [configured, chosen ?? ""].filter((path) => path !== "").map((path) => [path]);
  const tried: string[] = [];
  for (const candidate of configured === "" ? [...named, ...ON_PATH] : named) {
    const answer = await probe(candidate, bundled);
    if ("version" in answer) {
      return answer;
    }
    tried.push(`${candidate.join(" ")}: ${answer.why}`);
  }
  return { tried };
}

async function chosenInPythonExtension(): Promise<string | undefined> {
  if (vscode.extensions.getExtension("ms-python.python") === undefined) {
    return undefined;
  }
  try {
    const api = await PythonExtension.api();
    const environment = await api.environments.resolveEnvironment(api.environments.getActiveEnvironmentPath());
    return environment?.executable.uri?.fsPath;
  } catch {
    return undefined; // it is there but does not answer: the path decides
  }
}

/** The program behind a command and its version, where the compiled modules of the bundle fit it. */
async function probe(
  [program, ...words]: Command,
  bundled: string,
): Promise<{ interpreter: string; version: string } | { why: string }> {
  let answer: string[];
  try {
    const { stdout } = await run(program, [...words, "-I", "-c", PROBE], { cwd: bundled, timeout: 10_000 });
    answer = JSON.parse(stdout) as string[];
  } catch (error) {
    const missing = error instanceof Error && "code" in error && error.code === "ENOENT";
    return { why: missing ? "not found" : "does not run" };
  }
  const [interpreter = "", version = "", suffix = ""] = answer;
  const fits = existsSync(path.join(bundled, "pydantic_core", `_pydantic_core${suffix}`));
  return fits ? { interpreter: interpreter || program, version } : { why: `${version} (${suffix}) is not among those this extension was built for` };
}
