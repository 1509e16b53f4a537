/** What a person does in the editor, with mouse and keys: each step checks what is to be seen on the page. */
import * as assert from "node:assert/strict";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import * as path from "node:path";
import type { Locator, Page } from "playwright-core";
import { until } from "../until";
import type { Workbench } from "./workbench";

/** Opens a kernel in an empty window and says how long its first hint took to appear. */
export async function firstHint(workbench: Workbench): Promise<Page> {
  const start = Date.now();
  const page = await workbench.open("tour.cl");
  await until("a hint", async () => /s · \d+ %/.test(await text(page)));
  console.log(`from an empty page to the first hint: ${((Date.now() - start) / 1000).toFixed(1)} s`);
  return page;
}

/** Runs the steps; true when all have passed. Pictures go to a folder, where one is named. */
export async function drive(workbench: Workbench, pictures: string | undefined): Promise<boolean> {
  const page = await firstHint(workbench);
  await page.keyboard.press("Control+b"); // the whole width for the text
  const picture = async (name: string): Promise<void> => {
    if (pictures !== undefined) {
      await page.waitForTimeout(500); // cards fade in
      await page.screenshot({ path: path.join(pictures, `${name}.png`) });
    }
  };
  let passed = true;
  for (const [name, step] of Object.entries(steps)) {
    const start = Date.now();
    try {
      await step(page, picture, workbench.folder, workbench.extension);
      console.log(`ok      ${name} (${String(Date.now() - start)} ms)`);
    } catch (error) {
      passed = false;
      console.log(`FAILED  ${name}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
      await picture("failed");
      await page.keyboard.press("Escape");
    }
  }
  return passed;
}

type Step = (
  page: Page,
  picture: (name: string) => Promise<void>,
  folder: string,
  extension: string,
) => Promise<void>;

const steps: Record<string, Step> = {
  async "hints stand at the ends of lines, a lens over each kernel, words in colours"(page) {
    await until("hints", async () => /[\d.]+ ms · \d+ %/.test(await text(page)));
    // A lens stands there before it has its words.
    const lenses = page.locator(".codelens-decoration a");
    await until("lenses", async () => /≈ [\d.]+ ms.* · memory-bound/.test(plain((await lenses.allInnerTexts()).join())));
    const words = ["// A tour", "__kernel", "get_global_id", "row", "0.25f"];
    const spans = page.locator(".editor-instance .view-line span span");
    await until(`different colours of ${words.join()}`, async () => {
      const colours = await spans.evaluateAll(
        (all, wanted) =>
          wanted.map((word) => {
            const span = all.find((one) => one.textContent.replace(/\u00a0/g, " ").trim().startsWith(word));
            return span && getComputedStyle(span).color;
          }),
        words,
      );
      return new Set(colours).size === words.length;
    });
  },

  async "the status bar says board, clock and confidence, also to a screen reader"(page) {
    await until("the status", async () => /s10gx_ddr4_1866 · \d+ MHz · \w+/.test(await status(page).innerText()));
    assert.match((await status(page).getAttribute("aria-label")) ?? "", /Burstline: s10gx_ddr4_1866 .*Lowest confidence/s);
  },

  async "hovering an access shows its card"(page, picture) {
    const { x, y } = await spot(page, "quotes", "closes[i]");
    await until("the card", async () => {
      // A pointer that rests while the page is busy is not noticed: it comes again.
      await page.mouse.move(x, y + 200);
      await page.mouse.move(x, y, { steps: 4 });
      await page.waitForTimeout(1500);
      return /Burst-coalesced non-aligned/.test(await hovered(page));
    });
    await picture("vscode-hover");
    await page.keyboard.press("Escape");
  },

  async "findings are listed"(page) {
    await page.keyboard.press("Control+Shift+M");
    await page.waitForSelector(".markers-panel-container .monaco-list-row");
    const rows = page.locator(".markers-panel-container .monaco-list-row");
    await until("a finding", async () => (await rows.allInnerTexts()).some((row) => /BL10\d/.test(row)));
    await page.keyboard.press("Control+Shift+M");
  },

  async "a quick fix is chosen by keys, and its promise is kept"(page, picture) {
    const { x, y } = await spot(page, "index", "values[index[i]");
    await page.mouse.click(x, y);
    await page.keyboard.press("Control+.");
    await page.waitForSelector(".action-widget .action.focused");
    const title = await until("the fix", async () => {
      const chosen = plain((await page.locator(".action-widget .action.focused").allInnerTexts()).join());
      if (chosen.startsWith("Unroll the loop over i")) {
        return chosen;
      }
      await page.keyboard.press("ArrowDown");
      return undefined;
    });
    const [, promised = "nothing"] = /→ ([\d.]+ ms)/.exec(title) ?? [];
    await picture("vscode-fix");
    await page.keyboard.press("Enter");
    await until("the edit", async () => /#pragma unroll 16/.test(await text(page)));
    const lenses = page.locator(".codelens-decoration a");
    await until(`a lens with ${promised}`, async () => plain((await lenses.allInnerTexts()).join()).includes(promised));
    await page.keyboard.press("Control+z");
    await until("the old text", async () => !/#pragma unroll 16/.test(await text(page)));
  },

  async "the board is chosen from the status bar where burstline.toml names none, and figures follow"(page, _, folder) {
    const file = path.join(folder, "burstline.toml");
    writeFileSync(file, readFileSync(file, "utf8").replace(/^board = .*$/m, ""));
    const lens = page.locator(".codelens-decoration a").first();
    const before = plain(await lens.innerText());
    await status(page).click();
    await page.waitForSelector(".quick-input-widget .monaco-list-row");
    await page.keyboard.type("s10gx_ddr4_2666");
    await page.keyboard.press("Enter");
    await until("other figures", async () => {
      const now = plain(await lens.innerText());
      return now !== before && now.includes("7.60 ms");
    });
  },

  async "the lens opens the kernel view; its clock changes the figures, its bars lead to the source"(page) {
    await page.keyboard.press("Control+Home");
    await page.locator(".codelens-decoration a").first().click();
    const view = await until("the view", async () => {
      const held = page.frames().map(async (frame) => ((await frame.locator("#f-max").count()) > 0 ? frame : undefined));
      return (await Promise.all(held)).find((frame) => frame !== undefined);
    });
    const kernel = view.locator("main");
    const before = await until("the kernel", async () => {
      const shown = await kernel.innerText();
      return shown.includes("blur") && shown;
    });
    await view.locator("#f-max").focus();
    await page.keyboard.press("Home");
    await until("other figures", async () => (await kernel.innerText()) !== before);
    await view.locator(".leads").first().press("Enter");
    await until("the access", async () => /Ln 9,/.test(await page.locator(".statusbar").innerText()));
  },

  async "without a Python that fits, the status bar says so, a message once, and all returns with one"(page, _, folder) {
    const file = path.join(folder, ".vscode", "settings.json");
    const before = readFileSync(file, "utf8");
    writeFileSync(file, before.replace("{", '{ "burstline.server.interpreter": "/nowhere/python3",'));
    await until("the warning", async () => /needs Python 3\.11/.test((await status(page).getAttribute("aria-label")) ?? ""));
    await page.locator(".notification-list-item", { hasText: "needs Python 3.11" }).waitFor();
    writeFileSync(file, before);
    await until("the status", async () => / MHz · /.test(await status(page).innerText()));
  },

  async "a server that ends by itself is started again; where it keeps ending, the bar and a lens start it again"(page, _, __, extension) {
    const shown = async (): Promise<string> => (await status(page).getAttribute("aria-label")) ?? "";
    const lens = page.locator(".codelens-decoration a", { hasText: "Burstline has stopped: Restart" });
    await until("the end of it", async () => {
      endServers(extension);
      return /has stopped\. Click to start/.test(await shown()) && (await lens.count()) > 0;
    });
    await status(page).click();
    await until("the status", async () => / MHz · /.test(await status(page).innerText()));
    await until("the server's lenses", async () => (await lens.count()) === 0);
  },

  async "a kernel without sizes asks for them over its name, and gets its time"(page, picture, folder) {
    writeFileSync(
      path.join(folder, "unsized.cl"),
      "__kernel void unsized(__global float *restrict y, int n) { for (int i = 0; i < n; i++) y[i] = 1; }\n",
    );
    await page.keyboard.press("Control+p");
    await page.keyboard.type("unsized.cl");
    await page.locator(".quick-input-widget .monaco-list-row", { hasText: "unsized.cl" }).first().waitFor();
    await page.keyboard.press("Enter");
    const lens = page.locator(".codelens-decoration a", { hasText: "Set n to see the time" });
    await lens.waitFor();
    await lens.click();
    const input = page.locator(".quick-input-widget input").first();
    await until("the form", async () => (await input.inputValue()) === "1024");
    await picture("vscode-sizes");
    await input.fill("some");
    await page.locator(".quick-input-message", { hasText: "whole number" }).waitFor();
    await input.fill("4000000");
    await page.keyboard.press("Enter");
    await until("the comment", async () => /burstline: n=4000000/.test(await text(page)));
    await until("the time", async () => /≈ [\d.]+ ms/.test(plain((await page.locator(".codelens-decoration a").allInnerTexts()).join())));
  },
};

/** Ends the servers that the installed extension runs, as a crash would. */
function endServers(extension: string): void {
  for (const name of readdirSync("/proc").filter((entry) => /^\d+$/.test(entry))) {
    try {
      if (readFileSync(`/proc/${name}/cmdline`, "utf8").includes(extension)) {
        process.kill(Number(name), "SIGKILL");
      }
    } catch {
      // It has ended meanwhile.
    }
  }
}

/** What the status bar says of the file in front. */
function status(page: Page): Locator {
  return page.locator("[id='burstline.burstline.burstline.status']").first();
}

/** What the cards say that are to be seen. */
async function hovered(page: Page): Promise<string> {
  return plain((await page.locator(".monaco-hover:not(.hidden) .hover-row").allInnerTexts()).join("\n"));
}

/** The text of the editor in front, hints among it. */
async function text(page: Page): Promise<string> {
  return plain(await page.locator(".editor-instance .view-lines").first().innerText());
}

/** Where a word stands on the page: the last time in the first line that holds all of `others` as well. */
async function spot(page: Page, word: string, ...others: string[]): Promise<{ x: number; y: number }> {
  return until(word, () =>
    page.evaluate(
      ([wanted, more]) => {
        const line = [...document.querySelectorAll(".editor-instance .view-line")].find((one) =>
          [wanted, ...more].every((part) => one.textContent.includes(part)),
        );
        const nodes = line ? [...line.querySelectorAll("span")].flatMap((span) => [...span.childNodes]) : [];
        const node = nodes.findLast((one) => one instanceof Text && one.data.includes(wanted));
        if (!(node instanceof Text)) {
          return undefined;
        }
        const range = document.createRange();
        range.setStart(node, node.data.indexOf(wanted));
        range.setEnd(node, node.data.indexOf(wanted) + wanted.length);
        const { x, y, width, height } = range.getBoundingClientRect();
        return { x: x + width / 2, y: y + height / 2 };
      },
      [word, others] as const,
    ),
  );
}

function plain(shown: string): string {
  return shown.replace(/\u00a0/g, " ");
}
