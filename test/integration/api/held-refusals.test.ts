import { expect, onTestFinished, test } from "vitest";
import { createApi } from "../../../src/api/api.ts";
import { apiDeps, openTestApi } from "../../support/api/test-api.ts";
import { waitForCount } from "../../support/wait-for.ts";

const rateLimit = { perSecond: 1, burst: 1 };

/** An API whose refusals wait until they are let go, or until it closes. */
async function openHolding() {
  const api = await openTestApi({ rateLimit });
  onTestFinished(() => api.stop());
  const waits: { ms: number; end: () => void }[] = [];
  const clock = {
    ...api.clock,
    sleep: (ms: number, signal: AbortSignal) =>
      new Promise<void>((end) => {
        waits.push({ ms, end });
        signal.addEventListener("abort", () => end());
      }),
  };
  const web = createApi({ ...apiDeps(api, clock), rateLimit });
  onTestFinished(() => web.close());
  const ask = async (url: string) => {
    const { statusCode } = await web.inject({ url, headers: { "x-api-key": api.key } });
    return statusCode;
  };
  return { web, ask, waits };
}

const isHeld = (waits: readonly unknown[]) =>
  waitForCount(() => waits.length, 1, { what: "a refusal that waits", timeoutMs: 20_000 });

test("a refusal for too many requests waits, and holds nothing else up", async () => {
  const { ask, waits } = await openHolding();
  expect(await ask("/balance")).toBe(200);
  const refused = ask("/balance");
  await isHeld(waits);
  const [{ ms = 0 } = {}] = waits;
  expect(ms).toBeGreaterThanOrEqual(500);
  expect(ms).toBeLessThan(1_500);
  expect(await Promise.race([refused, ask("/nowhere")])).toBe(404);
  waits[0]?.end();
  expect(await refused).toBe(429);
});

test("refusals of one moment do not end at one moment", async () => {
  const { ask, waits } = await openHolding();
  expect(await ask("/balance")).toBe(200);
  const refused = Array.from({ length: 10 }, () => ask("/balance"));
  await waitForCount(() => waits.length, 10, { what: "refusals", timeoutMs: 20_000 });
  expect(new Set(waits.map(({ ms }) => ms)).size).toBeGreaterThan(5);
  for (const { end } of waits) end();
  expect(new Set(await Promise.all(refused))).toEqual(new Set([429]));
});

test("an API that closes answers them first", async () => {
  const { web, ask, waits } = await openHolding();
  await ask("/balance");
  const refused = ask("/balance");
  await isHeld(waits);
  await web.close();
  expect(await refused).toBe(429);
});
