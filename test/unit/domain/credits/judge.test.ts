import { describe, expect, it } from "vitest";
import type { Credit } from "../../../../src/domain/credits/credit.ts";
import {
  checksToForget,
  keptChecks,
  keptLines,
} from "../../../../src/domain/credits/credit-check.ts";
import {
  causeOfAmount,
  judgeCredit,
  judgeRepeat,
  judgeUncredited,
  type Received,
} from "../../../../src/domain/credits/judge.ts";
import { creditVerdicts, guideTo, verdictNames } from "../../../../src/domain/credits/verdicts.ts";
import { keysOf } from "../../../../src/domain/keys-of.ts";

const confirmedAt = new Date("2026-01-02T12:00:00.000Z");

const credit: Credit = {
  reference: "c-1",
  creditedAt: new Date("2026-01-02T12:00:01.000Z"),
  asset: "ETH",
  amount: "1.5",
  transactionId: "01a20098-8fc0-8000-8000-02911919b011",
  txHash: null,
  walletId: null,
  address: null,
};

const received: Received = {
  transactionId: "01a20098-8fc0-8000-8000-02911919b011",
  txHash: `0x${"c".repeat(64)}`,
  direction: "in",
  status: "completed",
  isOrphaned: false,
  walletId: "01a20098-0000-7000-8000-000000000001",
  address: `0x${"a".repeat(40)}`,
  assetCode: "ETH",
  amount: "1.5",
  confirmedAt,
};

const at = (ms: number) => new Date(confirmedAt.getTime() + ms);

describe("a credit has one verdict", () => {
  it.each<[string, Partial<Credit>, Partial<Received> | null, string]>([
    ["the same", {}, {}, "matches null"],
    ["the wallet is right", { walletId: received.walletId }, {}, "matches null"],
    ["the address is right", { address: received.address }, {}, "matches null"],
    ["nothing there", {}, null, "not_received unknown_transaction"],
    ["the hash is right", { txHash: received.txHash }, {}, "matches null"],
    [
      "the hash of another transaction",
      { txHash: `0x${"d".repeat(64)}` },
      {},
      "not_received other_hash",
    ],
    [
      "the id of a withdrawal, and the hash of another transaction",
      { txHash: `0x${"d".repeat(64)}` },
      { direction: "out" },
      "not_received other_hash",
    ],
    ["a withdrawal", {}, { direction: "out" }, "not_received outgoing"],
    [
      "a withdrawal that left the chain",
      {},
      { direction: "out", status: "dropped" },
      "not_received outgoing",
    ],
    ["reversed", {}, { status: "reversed" }, "reversed reversed"],
    ["reversed, of another amount", { amount: "2" }, { status: "reversed" }, "reversed reversed"],
    ["dropped", {}, { status: "dropped", confirmedAt: null }, "reversed dropped"],
    [
      "another wallet",
      { walletId: "01a20098-0000-7000-8000-000000000002" },
      {},
      "other_wallet other_wallet",
    ],
    ["another address", { address: `0x${"b".repeat(40)}` }, {}, "other_wallet other_wallet"],
    [
      "the wallet and its address",
      { walletId: received.walletId, address: received.address },
      {},
      "matches null",
    ],
    [
      "the wallet and the address of another one",
      { walletId: received.walletId, address: `0x${"b".repeat(40)}` },
      {},
      "other_wallet other_wallet",
    ],
    ["another asset", { asset: "USDC" }, {}, "other_asset mapping"],
    ["another asset and amount", { asset: "USDC", amount: "2" }, {}, "other_asset mapping"],
    ["the code in lower case", { asset: "eth" }, {}, "other_asset spelling"],
    ["another amount", { amount: "1.4" }, {}, "other_amount less"],
    ["another amount, pending", { amount: "1.4" }, { status: "pending" }, "other_amount less"],
    ["pending", {}, { status: "pending", confirmedAt: null }, "before_confirmed pending"],
    ["undone by a reorg that is not settled", {}, { isOrphaned: true }, "before_confirmed pending"],
    ["early", { creditedAt: at(-5_001) }, {}, "before_confirmed early"],
    ["early by as much as clocks may differ", { creditedAt: at(-5_000) }, {}, "matches null"],
    ["late", { creditedAt: at(86_400_000) }, {}, "matches null"],
  ])("%s", (_, fields, ledger, expected) => {
    const facts = {
      received: ledger === null ? null : { ...received, ...ledger },
      isWalletKnown: true,
    };
    const { verdict, cause } = judgeCredit({ ...credit, ...fields }, facts);
    expect(`${verdict} ${cause}`).toBe(expected);
  });

  it("a wallet of nobody explains that nothing was received", () => {
    const verdict = judgeCredit(credit, { received: null, isWalletKnown: false });
    expect(verdict).toEqual({ verdict: "not_received", cause: "unknown_wallet" });
  });

  it.each([
    ["c-1", "c-1", "same_reference"],
    ["c-1", "c-2", "other_reference"],
  ])("of %s after %s: %s", (reference, earlier, cause) => {
    expect(judgeRepeat(reference, earlier)).toEqual({ verdict: "credited_twice", cause });
  });
});

it.each([
  ["1500000000000000000", "1.5", "decimals"],
  ["0.15", "1.5", "decimals"],
  ["15", "1.5", "decimals"],
  ["1.23", "1.234567", "rounded"],
  ["1.24", "1.234567", "rounded"],
  ["0.30000000000000004", "0.3", "rounded"],
  ["1.22", "1.234567", "less"],
  ["1", "1.234567", "less"],
  ["1.4", "1.5", "less"],
  ["1.6", "1.5", "more"],
  ["100", "99", "more"],
])("%s for %s is %s", (credited, amount, cause) => {
  expect(causeOfAmount(credited, amount)).toBe(cause);
});

it.each([
  ["delivered", -600_000, "delivered"],
  ["delivered", -599_999, "recent"],
  ["delivered", 60_000, "recent"],
  ["undelivered", -3_600_000, "not_delivered"],
  [null, -3_600_000, "not_notified"],
] as const)(
  "what nobody credited, %s and confirmed %i ms after the period: %s",
  (delivery, ms, cause) => {
    const to = new Date("2026-02-01T00:00:00Z");
    const uncredited = { confirmedAt: new Date(to.getTime() + ms), delivery };
    expect(judgeUncredited({ ...uncredited, isOwnTransfer: false }, to)).toEqual({
      verdict: "not_credited",
      cause,
    });
    expect(judgeUncredited({ ...uncredited, isOwnTransfer: true }, to)).toEqual({
      verdict: "not_credited",
      cause: "own_transfer",
    });
  },
);

it("each cause has its words, and only a match needs none", () => {
  const guided = verdictNames.filter(
    (name) => keysOf<string>(creditVerdicts[name].causes).length > 0,
  );
  expect(verdictNames.filter((name) => !guided.includes(name))).toEqual(["matches"]);
  expect(guideTo("matches", null)).toBeNull();
  expect(guideTo("not_received", "outgoing")?.nextStep).toContain("Take the credit back");
});

it.each([
  ["the newest are kept", [[0, 5]], []],
  ["beyond the count", Array.from({ length: keptChecks + 2 }, () => [0, 5]), ["20", "21"]],
  [
    "too many lines, but the two newest stay",
    [
      [0, keptLines],
      [1, keptLines],
      [2, 1],
    ],
    ["2"],
  ],
  [
    "old ones",
    [
      [89, 5],
      [91, 5],
    ],
    ["1"],
  ],
])("runs: %s", (_, runs, forgotten) => {
  const checks = runs.map(([ageDays = 0, lines = 0], index) => ({
    id: String(index),
    ageDays,
    lines,
  }));
  expect(checksToForget(checks)).toEqual(forgotten);
});
