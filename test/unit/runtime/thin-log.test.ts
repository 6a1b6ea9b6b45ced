import { expect, test } from "vitest";
import { thinLog } from "../../../src/runtime/thin-log.ts";
import { keepingLog } from "../../support/fault-steps.ts";

function thinned() {
  let nowMs = 0;
  const kept = keepingLog();
  const log = thinLog(kept.log, { elapsed: () => nowMs });
  return { log, lines: kept.lines, pass: (ms: number) => (nowMs += ms) };
}

const refused = (port: number) => new Error(`connect ECONNREFUSED 127.0.0.1:${port}`);

test("an error that is repeated is written once a minute, with how often it was", () => {
  const { log, lines, pass } = thinned();
  for (let times = 0; times < 5_000; times += 1) {
    log.warn({ error: refused(times) }, "queue.error");
    pass(10);
  }
  expect(lines).toHaveLength(1);
  pass(60_000);
  log.warn({ error: refused(1) }, "queue.error");
  expect(lines).toHaveLength(2);
  expect(lines[1]?.fields).toMatchObject({ repeated: 4_999 });
});

test("at most ten different errors a second are written, and the rest is counted", () => {
  const { log, lines, pass } = thinned();
  const words = [..."abcdefghijklmnopqrstuvwxyz"];
  for (const word of words) log.error({ error: new Error(word) }, "relay.failed");
  expect(lines).toHaveLength(10);
  pass(1_000);
  log.error({ error: new Error("another") }, "relay.failed");
  expect(lines[10]?.fields).toMatchObject({ dropped: 16 });
});

test("what is no error is written as it comes", () => {
  const { log, lines } = thinned();
  for (let times = 0; times < 30; times += 1) {
    log.info({ error: refused(1) }, "block.committed");
    log.warn({ chain: "ethereum" }, "reorg.undone");
  }
  expect(lines).toHaveLength(60);
});
