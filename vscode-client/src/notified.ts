/** What the user was notified of while no server ran; a server keeps its own account, for every editor. */
import type * as vscode from "vscode";

const KEY = "notified";
const MOST = 100;

/** Whether nobody was notified of this cause yet; from now on somebody was. */
export async function firstTime(state: vscode.Memento, cause: string): Promise<boolean> {
  const causes = state.get<string[]>(KEY, []);
  if (causes.includes(cause)) {
    return false;
  }
  await state.update(KEY, [...causes, cause].slice(-MOST));
  return true;
}

/** Forgets every cause. */
export async function forget(state: vscode.Memento): Promise<void> {
  await state.update(KEY, undefined);
}
