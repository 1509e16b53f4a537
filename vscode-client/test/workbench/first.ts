/**
 * How long a new user waits: the built extension is installed in a real VS Code, and a kernel opened, twice.
 *
 *     node out/test/workbench/first.js INSTALLED BROWSER
 */
import * as path from "node:path";
import { firstHint } from "./drive";
import { Workbench } from "./workbench";

async function main(): Promise<void> {
  const [installed = "", browser = ""] = process.argv.slice(2);
  const workbench = await Workbench.start(path.resolve(installed), browser);
  try {
    for (let times = 0; times < 2; times += 1) {
      await (await firstHint(workbench)).close();
    }
  } finally {
    await workbench.stop();
  }
}

main().then(
  () => process.exit(0),
  (error: unknown) => {
    console.error(error);
    process.exit(1);
  },
);
