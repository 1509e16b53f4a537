/** Which of the editor's settings are the user's own. */
import * as vscode from "vscode";

const SECTION = "burstline";
const OF_THE_EDITOR = ["server", "trace", "colored_hints"];

/**
 * The settings that somebody has set, for the server. Defaults stay out: they would win over burstline.toml.
 */
export function givenSettings(scope?: vscode.Uri): Record<string, unknown> {
  const configuration = vscode.workspace.getConfiguration(SECTION, scope ?? null);
  const given: Record<string, unknown> = {};
  for (const name of Object.keys(configuration)) {
    if (!OF_THE_EDITOR.includes(name) && typeof configuration[name] !== "function" && isSet(configuration, name)) {
      given[name] = configuration.get(name);
    }
  }
  return given;
}

function isSet(configuration: vscode.WorkspaceConfiguration, name: string): boolean {
  const found = configuration.inspect(name);
  return [found?.globalValue, found?.workspaceValue, found?.workspaceFolderValue].some((value) => value !== undefined);
}

/** The settings that hold for the OpenCL file in front. */
export function settingsInFront(): vscode.WorkspaceConfiguration {
  return vscode.workspace.getConfiguration(SECTION, openCl()?.document.uri);
}

/** Sets one setting: where the folder of the file in front has its own, there; else for the workspace, or the user. */
export async function set(name: string, value: unknown): Promise<void> {
  const configuration = settingsInFront();
  const { Global, Workspace, WorkspaceFolder } = vscode.ConfigurationTarget;
  const ofFolder = configuration.inspect(name)?.workspaceFolderValue !== undefined;
  const target = ofFolder ? WorkspaceFolder : vscode.workspace.workspaceFolders ? Workspace : Global;
  await configuration.update(name, value, target);
}

/** The OpenCL file in front, if any. */
export function openCl(editor = vscode.window.activeTextEditor): vscode.TextEditor | undefined {
  return editor?.document.languageId === "opencl" ? editor : undefined;
}
