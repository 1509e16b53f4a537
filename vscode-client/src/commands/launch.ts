/** Says how a kernel is launched: its work-items by dimension and the values of scalar arguments. */
import * as vscode from "vscode";
import { openCl, set, settingsInFront } from "../settings";
import { kernelsOf, nearest } from "../kernels";

/** The launch of a kernel as the settings keep it. */
export interface Launch {
  global_size?: number[];
  arguments?: Record<string, number>;
}

const WHOLE = /^\d+$/;

export async function setLaunch(): Promise<void> {
  const editor = openCl();
  if (editor === undefined) {
    return;
  }
  const kernels = await kernelsOf(editor.document.uri);
  const here = nearest(kernels, editor.selection.active);
  const names = [...(here ? [here.name] : []), ...kernels.map(({ name }) => name).filter((name) => name !== here?.name)];
  const kernel =
    names.length > 1 ? await vscode.window.showQuickPick(names, { title: vscode.l10n.t("Which kernel?") }) : names[0];
  if (kernel === undefined) {
    return;
  }
  const configured = settingsInFront().get<Record<string, Launch>>("kernels", {});
  const before = configured[kernel];
  const text = await vscode.window.showInputBox({
    title: vscode.l10n.t("Launch of {0}", kernel),
    prompt: vscode.l10n.t("Work-items by dimension, then scalar arguments. Empty: not known."),
    placeHolder: "4096,4096 n=512",
    value: before ? written(before) : "",
    validateInput: (typed) => {
      const launch = parsed(typed);
      return typeof launch === "string" ? launch : undefined;
    },
  });
  const launch = text === undefined ? undefined : parsed(text);
  if (launch !== undefined && typeof launch !== "string") {
    const others = Object.entries(configured).filter(([name]) => name !== kernel);
    const kept = { ...before, global_size: undefined, arguments: undefined, ...launch };
    const own = Object.entries(kept).filter(([, value]) => value !== undefined);
    const all = own.length > 0 ? [...others, [kernel, Object.fromEntries<unknown>(own)]] : others;
    await set("kernels", all.length > 0 ? Object.fromEntries<unknown>(all as [string, unknown][]) : undefined);
  }
}

/** A launch such as `4096,4096 n=512`, or what is wrong with it. */
export function parsed(text: string): Launch | string {
  const launch: Launch = {};
  const close = text.replace(/\s*([=,])\s*/g, "$1").trim();
  for (const word of close === "" ? [] : close.split(/\s+/)) {
    const [name = "", value] = word.split("=");
    if (value !== undefined) {
      if (!/^[A-Za-z_]\w*$/.test(name) || !/^-?\d+$/.test(value)) {
        return vscode.l10n.t("“{0}” is not an argument with a whole number, such as n=512", word);
      }
      launch.arguments = { ...launch.arguments, [name]: Number(value) };
    } else {
      const sizes = word.split(",");
      if (launch.global_size || sizes.length > 3 || !sizes.every((size) => WHOLE.test(size) && Number(size) > 0)) {
        return vscode.l10n.t("“{0}” is not one to three positive whole numbers, such as 4096,4096", word);
      }
      launch.global_size = sizes.map(Number);
    }
  }
  return launch;
}

function written(launch: Launch): string {
  const given = Object.entries(launch.arguments ?? {}).map(([name, value]) => `${name}=${String(value)}`);
  return [...(launch.global_size ? [launch.global_size.join(",")] : []), ...given].join(" ");
}
