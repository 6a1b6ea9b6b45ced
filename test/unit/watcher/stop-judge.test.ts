import { expect, test } from "vitest";
import { Fault, type FaultCode } from "../../../src/domain/fault.ts";
import { createStopJudge } from "../../../src/watcher/head/stop-judge.ts";
import { keepingLog } from "../../support/fault-steps.ts";

function judging() {
  let nowMs = 1_000_000;
  const kept = keepingLog();
  const marked: string[] = [];
  const judge = createStopJudge(
    {
      ledger: { markStopped: async (_, why) => void marked.push(why?.code ?? "none") },
      clock: { now: () => nowMs, elapsed: () => nowMs, sleep: async () => {} },
      log: kept.log,
    },
    "moon",
  );
  let failures = 0;
  return {
    judge,
    marked,
    fail(code: FaultCode, facts: Record<string, unknown> = {}) {
      failures += 1;
      nowMs += 1_000;
      judge.failed(new Fault(code, `${code}.`, { facts }), failures);
    },
    pass: (ms: number) => {
      nowMs += ms;
    },
    logged: (message: string) => kept.lines.filter((line) => line.message === message),
  };
}

const block = (blockNumber: string) => ({ blockNumber });

test("a block that is refused three times is a stop: logged once, marked as long as it lasts, and then counted", () => {
  const { judge, fail, marked, logged } = judging();
  for (let times = 1; times <= 2; times += 1) fail("block_unreadable", block("5"));
  expect(judge.trouble()).toBeNull();
  for (let times = 3; times <= 20; times += 1) fail("block_unreadable", block("5"));
  expect(judge.trouble()).toMatchObject({
    message: expect.stringContaining("block_unreadable."),
    causes: [{ code: "block_unreadable" }],
  });
  expect(marked).toHaveLength(18);
  expect(logged("chain.stopped")).toHaveLength(1);
  expect(logged("watcher.step_failed").map(({ fields }) => fields["count"])).toEqual([
    1, 2, 4, 8, 16,
  ]);
});

test("refusals of one block count on over other failures, and not for another block", () => {
  const { judge, fail } = judging();
  fail("rpc_inconsistent", block("5"));
  fail("rpc_unavailable");
  fail("rpc_inconsistent", block("5"));
  fail("rpc_inconsistent", block("6"));
  fail("rpc_inconsistent", block("6"));
  expect(judge.trouble()).toBeNull();
  fail("rpc_inconsistent", block("6"));
  expect(judge.trouble()).not.toBeNull();
});

test("an endpoint that does not answer is no stop, however long that lasts", () => {
  const { judge, fail, pass } = judging();
  for (let times = 1; times <= 50; times += 1) {
    fail("rpc_unavailable");
    pass(10_000);
  }
  expect(judge.trouble()).toBeNull();
});

test("a block that is missing behind a load balancer is a stop only when that lasts", () => {
  const { judge, fail, pass } = judging();
  for (let times = 1; times <= 5; times += 1) fail("rpc_inconsistent");
  expect(judge.trouble()).toBeNull();
  pass(20_000);
  fail("rpc_inconsistent");
  expect(judge.trouble()).not.toBeNull();
});

test("another chain is a stop at once, and none any more when the chain goes on", () => {
  const { judge, fail } = judging();
  fail("wrong_genesis");
  expect(judge.trouble()?.message).toContain("wrong_genesis.");
  judge.wentOn();
  expect(judge.trouble()).toBeNull();
});
