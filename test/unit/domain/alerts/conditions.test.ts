import { describe, expect, test } from "vitest";
import {
  type AlertKind,
  runbookOf,
  worstFirst,
} from "../../../../src/domain/alerts/alert-kinds.ts";
import {
  conditionsOf,
  ledgerUnreadable,
  type Snapshot,
  sinceRemembered,
} from "../../../../src/domain/alerts/conditions.ts";
import { lengthText } from "../../../../src/domain/alerts/length-text.ts";
import { linesOf, messageOf, titleOf } from "../../../../src/domain/alerts/message.ts";
import { heldThings, isOfThePast } from "../../../../src/domain/chain/confirmation.ts";
import { keysOf } from "../../../../src/domain/keys-of.ts";
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

const stopped = { code: "wrong_genesis", reason: "another", since: null };
const late = { outbox: waitingFor(6 * minuteMs) };

describe("what an operator has to know of", () => {
  test("is nothing where everything is well, or nearly", () => {
    const nearly = snapshotOf(
      { lagSeconds: 300, ...held(nowMs - 15 * minuteMs) },
      {
        outbox: waitingFor(5 * minuteMs),
        webhooks: { deactivated: 0, inactive: [], failing: [failingFor(30 * minuteMs)] },
      },
    );
    expect(conditionsOf(snapshotOf(), nowMs)).toEqual([]);
    expect(conditionsOf(nearly, nowMs)).toEqual([]);
  });

  test.each(keysOf(heldThings))("is a %s that is refused, unless it is of the past", (what) => {
    const heldFor = (why: "refused" | "disputed") =>
      conditionsOf(snapshotOf(held(nowMs - dayMs, { what, why })), nowMs).map(({ kind }) => kind);
    expect(heldFor("refused")).toEqual(isOfThePast({ what }) ? [] : ["ChainbellChainHeld"]);
    expect(heldFor("disputed")).toEqual(["ChainbellChainHeld"]);
  });

  const upgrade = { reading: { ...well, upgrade: { name: "Next", atMs: nowMs + 13 * dayMs } } };
  test.each<[string, string, Snapshot]>([
    ["ChainbellChainStopped", "ethereum", snapshotOf({ stopped })],
    ["ChainbellChainBehind", "ethereum", snapshotOf({ lagSeconds: 301 })],
    [
      "ChainbellChainSilent",
      "ethereum",
      snapshotOf(
        readBy([
          { name: "a", silentMs: 9_000 },
          { name: "b", silentMs: 6_000 },
        ]),
      ),
    ],
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
    ["ChainbellEndpointSlow", "ethereum b", snapshotOf(readBy([{ name: "b", latencyMs: 9_000 }]))],
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
          outbox: { ...waitingFor(40 * minuteMs), lateSince: null },
          webhooks: {
            deactivated: 0,
            inactive: [],
            failing: [failingFor(40 * minuteMs), failingFor(1)],
          },
        },
      ),
    ],
    [
      "ChainbellWebhookDeactivated",
      "",
      snapshotOf({}, { webhooks: { deactivated: 2, inactive: [], failing: [] } }),
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

describe("since when a condition holds", () => {
  const silent = snapshotOf(readBy([{ name: "a", silentMs: 6_000 }]));
  test.each<[string, Snapshot, number | null]>([
    [
      "when the chain stopped",
      snapshotOf({ stopped: { ...stopped, since: new Date(nowMs - 7) } }),
      nowMs - 7,
    ],
    ["the time of the last block that was read", snapshotOf({ lagSeconds: 301 }), nowMs - 301_000],
    ["the last answer of any endpoint", silent, nowMs - 6_000],
    ["when the oldest notification began to wait", snapshotOf({}, late), nowMs - 6 * minuteMs],
    [
      "when the oldest difference was found",
      snapshotOf({ discrepancies: 2, differsSince: new Date(nowMs - 9) }),
      nowMs - 9,
    ],
    ["nobody knows", snapshotOf({ unproven: 1 }), null],
  ])("%s", (_said, snapshot, sinceMs) => {
    expect(conditionsOf(snapshot, nowMs)).toMatchObject([{ sinceMs }]);
  });

  test("is taken from what the daemon remembers where the ledger does not say", () => {
    const found = conditionsOf(snapshotOf({ unproven: 1, lagSeconds: 301 }), nowMs);
    const starts = [
      { kind: "ChainbellMoneyUnproven", subject: "ethereum", sinceMs: 5 },
      { kind: "ChainbellMoneyUnproven", subject: "base", sinceMs: 6 },
      { kind: "ChainbellChainBehind", subject: "ethereum", sinceMs: 7 },
    ] as const;
    expect(sinceRemembered(found, starts).map(({ kind, sinceMs }) => [kind, sinceMs])).toEqual([
      ["ChainbellChainBehind", nowMs - 301_000],
      ["ChainbellMoneyUnproven", 5],
    ]);
  });
});

test("a condition of webhooks names those that have failed for long, and no other", () => {
  const failing = [failingFor(40 * minuteMs, "a"), failingFor(31 * minuteMs, "b"), failingFor(1)];
  const webhooks = { deactivated: 0, inactive: [], failing };
  const [found] = conditionsOf(snapshotOf({}, { webhooks }), nowMs);
  expect(found?.webhooks.map(({ webhookId }) => webhookId)).toEqual(["a", "b"]);
  expect([found?.values, found?.sinceMs]).toEqual([{ webhooks: 2 }, nowMs - 40 * minuteMs]);
});

test.each<[string, [AlertKind, number | null][], number[]]>([
  [
    "critical ones first",
    [
      ["ChainbellPriceStale", 1],
      ["ChainbellNoRelay", 2],
    ],
    [1, 0],
  ],
  [
    "the order of the table",
    [
      ["ChainbellNoRelay", 1],
      ["ChainbellChainStopped", 2],
    ],
    [1, 0],
  ],
  [
    "the longest first",
    [
      ["ChainbellNoRelay", 2],
      ["ChainbellNoRelay", 1],
    ],
    [1, 0],
  ],
  [
    "an unknown time last",
    [
      ["ChainbellNoRelay", null],
      ["ChainbellNoRelay", 1],
    ],
    [1, 0],
  ],
  [
    "the rest as it was",
    [
      ["ChainbellNoRelay", 1],
      ["ChainbellNoRelay", 1],
    ],
    [0, 1],
  ],
])("the worst stands first: %s", (_said, given, wanted) => {
  const found = given.map(([kind, sinceMs], index) => ({ kind, sinceMs, index }));
  expect(worstFirst(found).map(({ index }) => index)).toEqual(wanted);
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
