import type {
  ChainBounds,
  StatedEntry,
  StatedHolding,
} from "../../../src/domain/evidence/account-statement.ts";
import { onPaper, type Paper } from "../../../src/domain/evidence/printed-statement.ts";
import {
  type StatementLine,
  statementLines,
} from "../../../src/domain/evidence/statement-lines.ts";
import { StatementPage, titleOf } from "../../../src/domain/evidence/statement-page.ts";

const id = "01a20098-39e4-7000-8000-02911919b012";
const wallet = `0x${"a1".repeat(20)}`;
const [from, to] = [new Date("2026-10-01T00:00:00Z"), new Date("2026-11-01T00:00:00Z")];
const sign = async () => ({ keyId: "0123456789abcdef", value: "c2lnbmVk" });
const digest = "ab".repeat(32);

/** A statement of one wallet with so many deposits of one amount. */
export type MadeUpStatement = { count: number; name: string; amount: bigint };

/** The title of each page. */
export const madeUpTitle = titleOf({ id });

/** The page of a made-up statement for a paper. Two transactions in it are not confirmed. */
export async function* madeUpPage(
  of: MadeUpStatement,
  paper: Paper,
): AsyncGenerator<string, void, void> {
  const page = new StatementPage({ digest, signature: await sign() });
  for await (const part of statementLines(sourceOf(of)))
    for (const line of part.toString().trimEnd().split("\n")) {
      const read: StatementLine = JSON.parse(line);
      yield page.add(read);
    }
  yield onPaper(paper, { digest });
}

function sourceOf({ count, name, amount }: MadeUpStatement) {
  const holding: StatedHolding = {
    walletId: "01a20098-39e4-7000-8000-02911919b011",
    address: wallet,
    label: name,
    reference: "order-4711",
    addedAt: from,
    removedAt: null,
    chainName: "ethereum",
    assetId: 1,
    assetCode: "USDC",
    assetAddress: `0x${"b2".repeat(20)}`,
    assetDecimals: 6,
    isOpeningKnown: true,
    openingAtomic: 0n,
    closingAtomic: BigInt(count) * amount,
    entries: count,
  };
  const entries = Array.from({ length: count }, (_, index) => entryOf(index + 1, amount));
  const parts = async function* () {
    yield {
      holding,
      entries: (async function* () {
        yield entries;
      })(),
    };
  };
  const business = { id: "01a20098-39e4-7000-8000-02911919b013", name, legalName: name };
  return {
    id,
    madeAt: to,
    asked: { businessId: business.id, period: { from, to, zone: "Europe/Zurich" }, filter: {} },
    statement: {
      business: { ...business, address: `1 Long Street\n${name}` },
      bounds: [boundsOf()],
      isOver: true,
      parts: parts(),
      unconfirmed: unconfirmedOf(holding),
    },
    sign,
  };
}

/** One of the next block, and one that waits for its proof. */
async function* unconfirmedOf(holding: StatedHolding) {
  const base = {
    ...holding,
    id: "01a20098-39e4-7000-8000-02911919b015",
    type: "deposit" as const,
    status: "pending" as const,
    amountAtomic: 125_500_000n,
    txHash: `0x${"e5".repeat(32)}`,
    fromAddress: `0x${"f6".repeat(20)}`,
    toAddress: wallet,
    memo: null,
    blockNumber: 10_001n,
    blockHash: `0x${"c3".repeat(32)}`,
    blockTime: new Date(to.getTime() - 1_000),
  };
  yield [
    { ...base, isHeld: false },
    { ...base, isHeld: true },
  ];
}

function boundsOf(): ChainBounds {
  const bound = (number: bigint, blockTime: Date) => ({
    number,
    hash: `0x${"c3".repeat(32)}`,
    blockTime,
    seal: number,
    sealHash: "d4".repeat(32),
    lastEntryId: number,
    isOver: true,
  });
  return {
    chainName: "ethereum",
    evmChainId: 1n,
    opening: bound(100n, from),
    closing: bound(10_000n, to),
  };
}

function entryOf(number: number, amountAtomic: bigint): StatedEntry {
  const time = new Date(from.getTime() + number * 600_000).toISOString();
  return {
    id: BigInt(number),
    kind: "confirmation",
    amountAtomic,
    blockNumber: 100n + BigInt(number),
    recordedAt: time,
    transaction: {
      id: "01a20098-39e4-7000-8000-02911919b014",
      type: "deposit",
      txHash: `0x${"e5".repeat(32)}`,
      fromAddress: `0x${"f6".repeat(20)}`,
      toAddress: wallet,
      status: "completed",
      sinceNumber: null,
      blockHash: `0x${"c3".repeat(32)}`,
      blockTime: time,
      memo: null,
      usdValue: "125.5",
      priceSource: "chainlink",
      priceAsOf: time,
    },
  };
}
