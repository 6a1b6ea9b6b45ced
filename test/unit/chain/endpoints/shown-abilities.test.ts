import { expect, test } from "vitest";
import { createShownAbilities } from "../../../../src/chain/endpoints/shown-abilities.ts";
import { systemClock } from "../../../../src/runtime/clock.ts";
import { createSkippingClock } from "../../../support/skipping-clock.ts";

const unsupported = { kind: "unsupported", reason: "Method not found" } as const;
const gone = { kind: "refused", reason: "missing trie node", isGone: true } as const;

test("an ability that was not asked for is not known", () => {
  const shown = createShownAbilities(systemClock);
  shown.answered("eth_chainId");
  for (const ability of ["traces", "logs", "old_state"] as const)
    expect(shown.has(ability)).toBe(null);
});

test("the last answer to a method counts, and one method of several is enough", () => {
  const shown = createShownAbilities(systemClock);
  shown.failed("debug_traceBlockByHash", unsupported);
  expect(shown.has("traces")).toBe(false);
  shown.answered("trace_block");
  expect(shown.has("traces")).toBe(true);
  shown.failed("trace_block", unsupported);
  expect(shown.has("traces")).toBe(false);
});

test("another failure says nothing of what it can do", () => {
  const shown = createShownAbilities(systemClock);
  shown.failed("eth_getLogs", { kind: "refused", reason: "range too wide" });
  shown.failed("eth_getLogs", { kind: "unreachable", reason: "it took too long" });
  expect(shown.has("logs")).toBe(null);
});

test("data that is gone stays so for a day, and newer data does not hide it", () => {
  const clock = createSkippingClock();
  const shown = createShownAbilities(clock);
  shown.failed("eth_getProof", gone);
  shown.answered("eth_getProof");
  expect([shown.has("old_state"), shown.has("old_blocks"), shown.has("proofs")]).toEqual([
    false,
    null,
    true,
  ]);
  shown.failed("eth_getLogs", gone);
  expect(shown.has("old_blocks")).toBe(false);
  clock.skip(24 * 60 * 60_000);
  expect([shown.has("old_state"), shown.has("old_blocks")]).toEqual([null, null]);
});

test("a refused method is offered again after some time, or once it answers", () => {
  const clock = createSkippingClock();
  const shown = createShownAbilities(clock);
  expect(shown.offers("eth_getProof")).toBe(true);
  shown.failed("eth_getProof", unsupported);
  clock.skip(9 * 60_000);
  expect([shown.offers("eth_getProof"), shown.offers("trace_block")]).toEqual([false, true]);
  clock.skip(60_000);
  expect(shown.offers("eth_getProof")).toBe(true);
  shown.failed("eth_getProof", unsupported);
  shown.answered("eth_getProof");
  expect(shown.offers("eth_getProof")).toBe(true);
  shown.failed("eth_getProof", gone);
  expect(shown.offers("eth_getProof")).toBe(true);
  shown.refuse("eth_capabilities");
  expect(shown.offers("eth_capabilities")).toBe(false);
});
