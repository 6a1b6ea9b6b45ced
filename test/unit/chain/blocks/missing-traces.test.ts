import { expect, it } from "vitest";
import { createMissingTraces } from "../../../../src/chain/blocks/missing-traces.ts";
import { Fault } from "../../../../src/domain/fault.ts";
import { quiet } from "../../../support/quiet.ts";
import { createSkippingClock } from "../../../support/skipping-clock.ts";

const one = { from: 7n, to: 7n };

it("traces that were missing twice, with a long pause between, are asked for once more", async () => {
  const clock = createSkippingClock();
  const ports = { clock, log: quiet, pool: { hosts: () => 2 } };
  const missing = createMissingTraces(ports, { chainId: 1, tracing: "auto" });
  const refusal = new Fault("rpc_unavailable", "not now");
  const ways = {
    traced: () => Promise.reject(refusal),
    untraced: async () => "without traces",
  };
  await expect(missing.read(one, ways)).rejects.toBe(refusal);
  clock.skip(20_000);
  await expect(missing.read(one, ways)).rejects.toBe(refusal);
  expect(await missing.read(one, { ...ways, traced: async () => "traced" })).toBe("traced");
  for (const _ of ["once", "twice"]) {
    await expect(missing.read(one, ways)).rejects.toBe(refusal);
    clock.skip(6_000);
  }
  expect(await missing.read(one, ways)).toBe("without traces");
});
