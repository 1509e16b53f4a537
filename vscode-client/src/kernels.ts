/** The kernels of a file, as the server's outline lists them. */
import * as vscode from "vscode";

/** The kernels in the file's order; functions that are no kernels are left out. */
export async function kernelsOf(document: vscode.TextDocument): Promise<vscode.DocumentSymbol[]> {
  const found = await vscode.commands.executeCommand<vscode.DocumentSymbol[] | undefined>(
    "vscode.executeDocumentSymbolProvider",
    document.uri,
  );
  return (found ?? []).filter((symbol) => symbol.kind === vscode.SymbolKind.Class);
}

/** The kernel around a place, else the last one before it, else the first. */
export function nearest(kernels: vscode.DocumentSymbol[], place: vscode.Position): vscode.DocumentSymbol | undefined {
  return (
    kernels.find((kernel) => kernel.range.contains(place)) ??
    kernels.findLast((kernel) => kernel.range.start.isBefore(place)) ??
    kernels[0]
  );
}
