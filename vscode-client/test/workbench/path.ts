/**
 * The first five minutes of a new user as pictures: a kernel is opened, its sizes are given, its first line read, an
 * access hovered, an edit previewed and made; then the line over the kernel says what the edit promised.
 *
 *     node out/test/workbench/path.js INSTALLED BROWSER FOLDER PICTURES
 *
 * FOLDER holds the kernels and path.json, a list of what to do with each: `file`, the `sizes` to give in order, and the
 * words to `hover`. Prints for each kernel what was promised and what came of it; fails where they differ.
 */
import { readFileSync } from "node:fs";
import * as path from "node:path";
import type { Page } from "playwright-core";
import { until } from "../until";
import { hovered, openFile, plain, spot } from "./page";
import { Workbench } from "./workbench";

interface Walk {
  file: string;
  sizes: string[];
  /** A word, and what else its line has. */
  hover: [string, ...string[]];
}

/** The beginning of a line over a kernel whose sizes are known. */
const TIME = /^(≈|at most) [\d.]+ [mµn]?s(?!\/)/;
const PICTURE = { x: 0, y: 0, width: 900, height: 460 };

async function walk(page: Page, { file, sizes, hover }: Walk, pictures: string): Promise<string> {
  const name = path.basename(file, ".cl");
  const shot = async (step: string): Promise<void> => {
    await page.waitForTimeout(600); // cards fade in
    await page.screenshot({ path: path.join(pictures, `${name}-${step}.png`), clip: PICTURE });
  };
  const lenses = async (): Promise<string[]> =>
    (await page.locator(".codelens-decoration a").allInnerTexts()).map(plain);
  await openFile(page, path.basename(file));
  await until("a line over the kernel", async () => (await lenses()).some((lens) => /^Set .* to see the time/.test(lens)));
  await shot("1-open");
  await page.locator(".codelens-decoration a", { hasText: /^Set.*to.see.the.time/ }).first().click();
  for (const [at, size] of sizes.entries()) {
    const input = page.locator(".quick-input-widget input").first();
    await page.locator(".quick-input-title", { hasText: `(${String(at + 1)} of ` }).waitFor();
    await input.fill(size);
    if (at === 0) {
      await shot("2-sizes");
    }
    await page.keyboard.press("Enter");
  }
  const first = await until("a time", async () => (await lenses()).find((lens) => TIME.test(lens)));
  await page.waitForTimeout(500);
  await shot("3-first-line");
  const [word, ...others] = hover;
  const place = await spot(page, word, ...others);
  await until("the card", async () => {
    await page.mouse.move(place.x, place.y + 150);
    await page.mouse.move(place.x, place.y, { steps: 4 });
    await page.waitForTimeout(1500);
    return /Burst-coalesced|Atomic-pipelined/.test(await hovered(page));
  });
  await shot("4-hover");
  await page.keyboard.press("Escape");
  await page.mouse.click(place.x, place.y);
  await page.keyboard.press("Control+.");
  await page.waitForSelector(".action-widget .action.focused");
  const title = plain((await page.locator(".action-widget .action.focused").allInnerTexts()).join());
  await shot("5-edit");
  const [, promised] = /→ ([\d.]+ [mµn]?s)/.exec(title) ?? [];
  if (promised === undefined) {
    return `${name}: ${first}\n  FAILED: the first action is “${title}”`;
  }
  await page.keyboard.press("Enter");
  const after = await until("another line", async () => (await lenses()).find((lens) => lens !== first && / [mµn]?s/.test(lens)));
  const held = await until("the promise", async () => (await lenses()).some((lens) => lens.includes(promised))).catch(() => false);
  await page.keyboard.press("Control+Home");
  await shot("6-made");
  const said = held ? "as promised" : `FAILED: not the ${promised} that was promised`;
  const ending = (await lenses()).find((lens) => /^(≈|at most)/.test(lens)) ?? after;
  return `${name}: ${first}\n  ${title}\n  ${ending}\n  ${said}`;
}

/** The kernel view of a kernel, in a window wide enough for both. */
async function pageBeside(page: Page, pictures: string): Promise<void> {
  await page.setViewportSize({ width: 1240, height: 760 });
  await openFile(page, "stencil.cl");
  await page.keyboard.press("Control+Alt+u");
  await page.keyboard.press("k");
  const view = await until("the page", async () => {
    const held = page.frames().map(async (frame) => ((await frame.locator(".head .time").count()) > 0 ? frame : undefined));
    return (await Promise.all(held)).find((frame) => frame !== undefined);
  });
  await until("its edits", async () => !/Trying edits/.test(await view.locator(".edits").innerText()));
  await page.waitForTimeout(600);
  await page.screenshot({ path: path.join(pictures, "page.png"), clip: { x: 0, y: 0, width: 1240, height: 720 } });
}

async function main(): Promise<number> {
  const [installed = "", browser = "", folder = "", pictures = ""] = process.argv.slice(2);
  const walks = JSON.parse(readFileSync(path.join(folder, "path.json"), "utf8")) as Walk[];
  const workbench = await Workbench.start(path.resolve(installed), browser, path.resolve(folder));
  let failed = false;
  try {
    const page = await workbench.open(walks[0]?.file ?? "");
    await page.setViewportSize({ width: PICTURE.width, height: 560 });
    await page.keyboard.press("Control+b");
    for (const one of walks) {
      const said = await walk(page, one, pictures).catch((error: unknown) => `${one.file}: FAILED: ${String(error)}`);
      failed ||= said.includes("FAILED");
      console.log(said);
      await page.keyboard.press("Escape");
    }
    await pageBeside(page, pictures);
  } finally {
    await workbench.stop();
  }
  return failed ? 1 : 0;
}

main().then(
  (status) => process.exit(status),
  (error: unknown) => {
    console.error(error);
    process.exit(1);
  },
);
