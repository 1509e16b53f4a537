/** Asks for the sizes that a kernel's time waits for, one box each, as the lens over the kernel offers. */
import * as vscode from "vscode";

/** Who carries out the server's commands. */
interface Commands {
  execute<Answer>(command: string, ...words: unknown[]): Promise<Answer | undefined>;
}

/** The server's command behind the lens; its arguments are the file, the kernel and, of this form, the answers. */
export const GIVE_SIZES = "burstline.giveSizes";

/** A size that nobody gives: its name, the setting that gives it, a usual value, and the host's line that gives it. */
interface Missing {
  name: string;
  setting: string;
  usual: string;
  from?: string;
}

const WORK_ITEMS = "global_size";
const ONE = /^-?\d{1,18}$/;
const UP_TO_THREE = /^\s*0*[1-9]\d*\s*(,\s*0*[1-9]\d*\s*){0,2}$/;

/** The answers by setting; undefined when the user leaves the form, or nothing is missing. */
export async function askForSizes(
  server: Commands,
  uri: string,
  kernel: string,
): Promise<Record<string, string> | undefined> {
  const missing = (await server.execute<Missing[]>("burstline.missingSizes", uri, kernel)) ?? [];
  const answers: Record<string, string> = {};
  for (const [at, { name, setting, usual, from = "" }] of missing.entries()) {
    const answer = await vscode.window.showInputBox({
      title: vscode.l10n.t("Sizes of {0} ({1} of {2})", kernel, at + 1, missing.length),
      prompt: promptOf(name, setting, from),
      value: usual,
      ignoreFocusOut: true,
      validateInput: (typed) => problemOf(setting, typed),
    });
    if (answer === undefined) {
      return undefined;
    }
    answers[setting] = answer.trim();
  }
  return missing.length > 0 ? answers : undefined;
}

/** What a box asks for, and where its first value is from. */
function promptOf(name: string, setting: string, from: string): string {
  const asked =
    setting === WORK_ITEMS
      ? vscode.l10n.t("Work-items by dimension, such as 1024,1024")
      : vscode.l10n.t("{0}: a whole number", name);
  return from === "" ? asked : vscode.l10n.t("{0} (the value is from {1})", asked, from);
}

/** What is wrong with a size as it is typed; undefined where nothing is. */
export function problemOf(setting: string, typed: string): string | undefined {
  if (setting === WORK_ITEMS) {
    return UP_TO_THREE.test(typed)
      ? undefined
      : vscode.l10n.t("“{0}” is not one to three positive whole numbers, such as 4096,4096", typed);
  }
  return ONE.test(typed.trim()) ? undefined : vscode.l10n.t("“{0}” is not a whole number, such as 1024", typed);
}
