/** The kernels of a file: each has a lens of the server's over its name, whatever other servers there are. */
import * as vscode from "vscode";

/** The server's command behind a kernel's lens; its arguments are the file and the kernel. */
export const SHOW_KERNEL = "burstline.showKernel";

/** The server's command behind the offer to explore variants; its arguments are the same. */
export const SHOW_VARIANTS = "burstline.showVariants";

export interface Kernel {
  name: string;
  /** Where its name is. */
  place: vscode.Position;
}

/** The kernels in the file's order. */
export async function kernelsOf(uri: vscode.Uri): Promise<Kernel[]> {
  const lenses = await vscode.commands.executeCommand<vscode.CodeLens[]>("vscode.executeCodeLensProvider", uri, 1000);
  return lenses
    .filter(({ command }) => command?.command === SHOW_KERNEL)
    .map(({ command, range }) => ({ name: String(command?.arguments?.[1]), place: range.start }))
    .sort((one, other) => one.place.compareTo(other.place));
}

/** The kernel that a place is in or behind, else the first. */
export function nearest(kernels: Kernel[], place: vscode.Position): Kernel | undefined {
  return kernels.findLast((kernel) => kernel.place.line <= place.line) ?? kernels[0];
}
