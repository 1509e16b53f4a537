/** What is to be seen on the page of the editor, and how files and commands are reached there. */
import type { Locator, Page } from "playwright-core";
import { until } from "../until";

/** Runs a command by its name. */
export async function command(page: Page, name: string): Promise<void> {
  await page.keyboard.press("F1");
  await page.keyboard.type(name);
  await page.locator(".quick-input-widget .monaco-list-row", { hasText: name.replace(/^.*: /, "") }).first().waitFor();
  await page.keyboard.press("Enter");
}

/** Opens a file of the folder by its name. The list may not have a new file yet: then it is asked again. */
export async function openFile(page: Page, name: string): Promise<void> {
  const row = page.locator(".quick-input-widget .monaco-list-row", { hasText: name }).first();
  await until(`${name} in the list of files`, async () => {
    await page.keyboard.press("Control+p");
    await page.keyboard.type(name);
    const listed = await row.waitFor({ timeout: 5_000 }).then(
      () => true,
      () => false,
    );
    await page.keyboard.press(listed ? "Enter" : "Escape");
    return listed;
  });
}

export interface Seen {
  frames: number;
  jumps: number;
  lost_ms: number;
  lost_frames: number;
  /** For so many frames up to now. */
  without: number;
  hinted: number;
}

/** In the page: from now on, count frames in which the first line moved, and for how long a line was without its hint. */
export function watch(): void {
  const seen: Seen = { frames: 0, jumps: 0, lost_ms: 0, lost_frames: 0, without: 0, hinted: 0 };
  (window as unknown as { seen: Seen }).seen = seen;
  const lines = (): HTMLElement[] => [...document.querySelectorAll<HTMLElement>(".editor-instance .view-line")];
  const hinted = (line: HTMLElement): boolean =>
    [...line.querySelectorAll("span")].some((span) => / %/.test(getComputedStyle(span, "::after").content));
  const known = new Set(lines().filter(hinted).map((line) => line.textContent));
  seen.hinted = known.size;
  const head = lines().find((line) => line.textContent.includes("kernel"))?.textContent;
  const top = (): number | undefined => lines().find((line) => line.textContent === head)?.getBoundingClientRect().top;
  let before = top();
  let whole = performance.now();
  const look = (): void => {
    if ((window as unknown as { seen: Seen }).seen !== seen) {
      return; // somebody else watches by now
    }
    seen.frames += 1;
    const now = top();
    if (now !== before) {
      seen.jumps += 1;
      before = now;
    }
    if (!lines().some((line) => known.has(line.textContent) && !hinted(line))) {
      whole = performance.now();
      seen.without = 0;
    } else {
      seen.without += 1;
    }
    seen.lost_frames = Math.max(seen.lost_frames, seen.without);
    seen.lost_ms = Math.max(seen.lost_ms, performance.now() - whole);
    requestAnimationFrame(look);
  };
  look();
}

/** What the status bar says of the file in front. */
export function status(page: Page): Locator {
  return page.locator("[id='burstline.burstline.burstline.status']").first();
}

/** What the cards say that are to be seen. */
export async function hovered(page: Page): Promise<string> {
  return plain((await page.locator(".monaco-hover:not(.hidden) .hover-row").allInnerTexts()).join("\n"));
}

/** The hints that are drawn behind lines, with their colours. */
export async function hintsOf(page: Page): Promise<{ hint: string; colour: string }[]> {
  return page.locator(".editor-instance .view-line span").evaluateAll((spans) =>
    spans.flatMap((span) => {
      const { content, color } = getComputedStyle(span, "::after");
      const hint = content.replace(/^"|"$/g, "").replace(/\u00a0/g, " ");
      return /s · \d+ %$/.test(hint) ? [{ hint, colour: color }] : [];
    }),
  );
}

/** The text of the editor in front, the editor's own hints among it. */
export async function text(page: Page): Promise<string> {
  return plain(await page.locator(".editor-instance .view-lines").first().innerText());
}

/** Where a word stands on the page: the last time in the first line that holds all of `others` as well. */
export async function spot(page: Page, word: string, ...others: string[]): Promise<{ x: number; y: number }> {
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

export function plain(shown: string): string {
  return shown.replace(/\u00a0/g, " ");
}
