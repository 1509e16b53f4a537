/**
 * Tests on the built extension in a real VS Code: first inside its extension host, then with mouse and keys.
 *
 *     node out/test/workbench/run.js INSTALLED BROWSER [PICTURES]
 *
 * INSTALLED is where install.sh has put a VS Code, BROWSER a Chromium. With PICTURES, screenshots go to that folder.
 */
import * as path from "node:path";
import { drive } from "./drive";
import { ROOT, Workbench } from "./workbench";

async function main(): Promise<number> {
  const [installed = "", browser = "", pictures] = process.argv.slice(2);
  const workbench = await Workbench.start(path.resolve(installed), browser);
  try {
    const inside = await workbench.runInHost(path.join(ROOT, "vscode-client/out/test/api"));
    const outside = await drive(workbench, pictures);
    return inside === 0 && outside ? 0 : 1;
  } finally {
    await workbench.stop();
  }
}

main().then(
  (status) => process.exit(status),
  (error: unknown) => {
    console.error(error);
    process.exit(1);
  },
);
