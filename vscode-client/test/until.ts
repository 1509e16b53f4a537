/** Waiting, for tests of something that answers in its own time. */

/** Asks until the answer is something; fails after a while, naming what it waited for. */
export async function until<Value>(
  what: string,
  ask: () => Value | Promise<Value>,
): Promise<NonNullable<Exclude<Value, false>>> {
  const end = Date.now() + 60_000;
  for (;;) {
    const value = await ask();
    if (value !== undefined && value !== null && value !== false) {
      return value as NonNullable<Exclude<Value, false>>;
    }
    if (Date.now() > end) {
      throw new Error(`waited in vain for ${what}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** A list with something in it, or nothing. */
export function some<Value>(found: Value[]): Value[] | undefined {
  return found.length > 0 ? found : undefined;
}
