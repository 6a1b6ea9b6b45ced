import { describe, expect, test } from "vitest";
import { runbookOf } from "../../../../src/domain/alerts/alert-kinds.ts";
import {
  conditionsOf,
  ledgerUnreadable,
  type Snapshot,
} from "../../../../src/domain/alerts/conditions.ts";
import { lengthText } from "../../../../src/domain/alerts/length-text.ts";
import { linesOf, messageOf, titleOf } from "../../../../src/domain/alerts/message.ts";
import {
  atWork,
  dayMs,
  failingFor,
  held,
  minuteMs,
  nowMs,
  readBy,
  snapshotOf,
  waitingFor,
  well,
} from "./snapshot.ts";

describe("what an operator has to know of", () => {
  test("is nothing where everything is well, or nearly", () => {
    const nearly = snapshotOf(
      { lagSeconds: 300, ...held(nowMs - 15 * minuteMs) },
      {
        outbox: waitingFor(5 * minuteMs),
        webhooks: { deactivated: 0, failing: [failingFor(30 * minuteMs)] },
      },
    );
    expect(conditionsOf(snapshotOf(), nowMs)).toEqual([]);
    expect(conditionsOf(nearly, nowMs)).toEqual([]);
  });

  const upgrade = { reading: { ...well, upgrade: { name: "Next", atMs: nowMs + 13 * dayMs } } };
  const stopped = { code: "wrong_genesis", reason: "another", since: null };
  test.each<[string, string, Snapshot]>([
    ["ChainbellChainStopped", "ethereum", snapshotOf({ stopped })],
    ["ChainbellChainBehind", "ethereum", snapshotOf({ lagSeconds: 301 })],
    ["ChainbellChainHeld", "ethereum", snapshotOf(held(nowMs - 16 * minuteMs))],
    ["ChainbellLedgerDiffers", "ethereum", snapshotOf({ discrepancies: 1 })],
    ["ChainbellMoneyUnproven", "ethereum", snapshotOf({ unproven: 1 })],
    ["ChainbellUpgradeAhead", "ethereum", snapshotOf(upgrade)],
    ["ChainbellEndpointFailing", "ethereum b", snapshotOf(readBy([{ name: "b", score: 0.4 }]))],
    [
      "ChainbellEndpointBehind",
      "ethereum b",
      snapshotOf(
        readBy([
          { name: "a", head: 200n },
          { name: "b", head: 99n },
        ]),
      ),
    ],
    ["ChainbellChainNotWatched", "ethereum", snapshotOf({}, { liveness: atWork({ watched: [] }) })],
    ["ChainbellNoDispatcher", "", snapshotOf({}, { liveness: atWork({ dispatchers: 0 }) })],
    ["ChainbellNoRelay", "", snapshotOf({}, { liveness: atWork({ relays: 0 }) })],
    ["ChainbellQueueOutOfReach", "", snapshotOf({}, { liveness: atWork({ withoutQueue: 1 }) })],
    ["ChainbellMoneyLate", "", snapshotOf({}, { outbox: waitingFor(6 * minuteMs) })],
    [
      // The receiver is to blame for what waits.
      "ChainbellWebhookFailing",
      "",
      snapshotOf(
        {},
        {
          outbox: waitingFor(40 * minuteMs),
          webhooks: { deactivated: 0, failing: [failingFor(40 * minuteMs), failingFor(1)] },
        },
      ),
    ],
    [
      "ChainbellWebhookDeactivated",
      "",
      snapshotOf({}, { webhooks: { deactivated: 2, failing: [] } }),
    ],
    [
      "ChainbellPriceStale",
      "ethereum ETH",
      snapshotOf({}, { prices: [{ chainName: "ethereum", assetCode: "ETH", isFresh: false }] }),
    ],
  ])("%s", (kind, subject, snapshot) => {
    const conditions = conditionsOf(snapshot, nowMs);
    expect(conditions).toMatchObject([{ kind, subject }]);
    expect(conditions[0]?.summary).not.toMatch(/undefined|null|NaN/);
  });
});

test("a message names each alert with what, since when and its runbook", () => {
  const sinceMs = nowMs - 200 * minuteMs;
  const message = messageOf(
    [
      { ...ledgerUnreadable, sinceMs, news: "resolved" },
      { kind: "ChainbellChainStopped", subject: "base", summary: "It is.", sinceMs, news: "began" },
    ],
    { id: "1", installation: "one", atMs: nowMs },
  );
  expect(titleOf(message)).toBe("Chainbell: 1 alert, 1 resolved, ChainbellChainStopped (base)");
  expect(linesOf(message).slice(2)).toEqual([
    "[critical] ChainbellChainStopped (base) began: It is.",
    `  since 2026-11-22T08:40:00.000Z (3 h 20 min); ${runbookOf("ChainbellChainStopped")}`,
    "Installation one.",
  ]);
});

test.each([
  [999, "0 s"],
  [45_000, "45 s"],
  [12 * minuteMs, "12 min"],
  [3 * 60 * minuteMs, "3 h"],
  [2 * dayMs + 4 * 60 * minuteMs, "2 d 4 h"],
])("%i ms are %s", (ms, text) => {
  expect(lengthText(ms)).toBe(text);
});
