/** Chooses the board, from those that the server knows or a board file. */
import * as vscode from "vscode";
import type { Server } from "../server";
import { set } from "../settings";

/** One board as burstline/boards answers it. */
interface Board {
  name: string;
  title: string;
  memory: string;
}

export async function chooseBoard(server: Server): Promise<void> {
  const boards = await server.ask<Board[]>("burstline/boards", {});
  if (boards === undefined) {
    void vscode.window.showErrorMessage(server.problem ?? vscode.l10n.t("The server is not running."));
    return;
  }
  const file = { label: vscode.l10n.t("$(file) A board file…"), description: ".toml", name: undefined };
  const items = boards.map(({ name, title, memory }) => ({ label: name, description: memory, detail: title, name }));
  const choice = await vscode.window.showQuickPick([...items, file], {
    title: vscode.l10n.t("Board to estimate for"),
    matchOnDescription: true,
    matchOnDetail: true,
  });
  if (choice !== undefined) {
    const board = choice.name ?? (await boardFile());
    if (board !== undefined) {
      await set("board", board);
    }
  }
}

async function boardFile(): Promise<string | undefined> {
  const [file] = (await vscode.window.showOpenDialog({ filters: { [vscode.l10n.t("Boards")]: ["toml"] } })) ?? [];
  return file?.fsPath;
}
