/** What the user was told of while no server ran; a server keeps its own account, for every editor. */
import type * as vscode from "vscode";

const TOLD = "told";
const MOST = 100;

/** Whether nobody was told of this cause yet; from now on somebody was. */
export async function firstTime(state: vscode.Memento, cause: string): Promise<boolean> {
  const told = state.get<string[]>(TOLD, []);
  if (told.includes(cause)) {
    return false;
  }
  await state.update(TOLD, [...told, cause].slice(-MOST));
  return true;
}

/** Forgets every cause. */
export async function forget(state: vscode.Memento): Promise<void> {
  await state.update(TOLD, undefined);
}
