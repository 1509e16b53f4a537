/** Finds a Python that can run the bundled server. */
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import * as path from "node:path";
import { promisify } from "node:util";
import { PythonExtension } from "@vscode/python-extension";
import * as vscode from "vscode";

const run = promisify(execFile);
const PROBE = "import sys, sysconfig; print(sys.version.split()[0], sysconfig.get_config_var('EXT_SUFFIX'))";
const ON_PATH =
  process.platform === "win32"
    ? ["python", "py", "python3"]
    : ["python3", "python3.13", "python3.12", "python3.11", "python"];

/** A Python that fits, or why each one that was tried does not. */
export type Found = { interpreter: string; version: string } | { tried: string[] };

/** The interpreter of the settings alone, where one is set; else the Python extension's choice, then the path. */
export async function findPython(bundled: string): Promise<Found> {
  const configured = vscode.workspace.getConfiguration("burstline").get<string>("server.interpreter", "").trim();
  // A workspace may bring an interpreter of its own, which only a trusted one may have run.
  const chosen = configured === "" && vscode.workspace.isTrusted ? await chosenInPythonExtension() : undefined;
  const candidates = configured === "" ? [...(chosen === undefined ? [] : [chosen]), ...ON_PATH] : [configured];
  const tried: string[] = [];
  for (const candidate of candidates) {
    const answer = await probe(candidate, bundled);
    if ("version" in answer) {
      return { interpreter: candidate, version: answer.version };
    }
    tried.push(`${candidate}: ${answer.why}`);
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

/** Its version, where the compiled modules of the bundle fit it. */
async function probe(candidate: string, bundled: string): Promise<{ version: string } | { why: string }> {
  let answer: string;
  try {
    answer = (await run(candidate, ["-I", "-c", PROBE], { cwd: bundled, timeout: 10_000 })).stdout.trim();
  } catch (error) {
    const missing = error instanceof Error && "code" in error && error.code === "ENOENT";
    return { why: missing ? "not found" : "does not run" };
  }
  const [version = "", suffix = ""] = answer.split(" ");
  const fits = existsSync(path.join(bundled, "pydantic_core", `_pydantic_core${suffix}`));
  return fits ? { version } : { why: `${version} (${suffix}) is not among those this extension was built for` };
}
