import { expect } from "vitest";
import { waitFor } from "./wait-for.ts";

/** Waits until what is read equals what is expected, see waitFor. */
export async function waitToEqual<T>(
  read: () => T | Promise<T>,
  expected: unknown,
  options: { what: string; timeoutMs: number },
): Promise<void> {
  await waitFor(async () => {
    expect(await read()).toEqual(expected);
    return true;
  }, options);
}
