// Prints made-up statements on both papers, for people to look at after a change of the page: with
// 1, 40 and 4,000 entries, long names, names from right to left and amounts of 78 digits.
// Usage: node scripts/run.mjs printed-samples FOLDER
// Needs a Chromium. Where pdftoppm is there (Debian: poppler-utils), the first three pages of each
// PDF are pictures too.
import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createPrinter } from "../src/bin/cli/print-page.ts";
import type {
  ChainBounds,
  StatedEntry,
  StatedHolding,
} from "../src/domain/evidence/account-statement.ts";
import { onPaper, paperNames } from "../src/domain/evidence/printed-statement.ts";
import { type StatementLine, statementLines } from "../src/domain/evidence/statement-lines.ts";
import { StatementPage, titleOf } from "../src/domain/evidence/statement-page.ts";

const id = "01a20098-39e4-7000-8000-02911919b012";
const names = {
  usual: "Alpine Coffee Ltd.",
  long: "International Company for the Import and Export of Coffee Beans and Machines ".repeat(2),
  rightToLeft: "شركة القهوة الدولية",
};
const amounts = { usual: 125_500_000n, long: 10n ** 77n + 1n };
const samples = [
  { count: 1, name: names.usual, amount: amounts.usual },
  { count: 40, name: names.rightToLeft, amount: amounts.long },
  { count: 40, name: names.long, amount: amounts.usual },
  { count: 4_000, name: names.usual, amount: amounts.usual },
];
const wallet = `0x${"a1".repeat(20)}`;
const [from, to] = [new Date("2026-10-01T00:00:00Z"), new Date("2026-11-01T00:00:00Z")];
const sign = async () => ({ keyId: "0123456789abcdef", value: "c2lnbmVk" });

type Sample = (typeof samples)[number];

const [folder] = process.argv.slice(2);
if (folder === undefined) throw new Error("usage: node scripts/run.mjs printed-samples FOLDER");
mkdirSync(folder, { recursive: true });
for (const [index, sample] of samples.entries())
  for (const paper of paperNames) await print(join(folder, `${index + 1}-${paper}`), sample, paper);

async function print(
  path: string,
  sample: Sample,
  paper: (typeof paperNames)[number],
): Promise<void> {
  const texts: string[] = [];
  for await (const text of statementLines(sourceOf(sample))) texts.push(text);
  const lines = texts.join("").trimEnd().split("\n");
  const read = lines.map((line): StatementLine => JSON.parse(line));
  const digest = "ab".repeat(32);
  const page = new StatementPage({ digest, signature: await sign() });
  const html = async function* () {
    for (const line of read) yield page.add(line);
    yield onPaper(paper, { digest });
  };
  const parts: Uint8Array[] = [];
  for await (const part of createPrinter(null).printPage(html(), titleOf({ id }))) parts.push(part);
  writeFileSync(`${path}.pdf`, Buffer.concat(parts));
  const pictures = ["-png", "-r", "80", "-l", "3", `${path}.pdf`, path];
  const isDrawn = spawnSync("pdftoppm", pictures).status === 0;
  console.log(`${path}.pdf: ${sample.count} entries${isDrawn ? ", with pictures" : ""}`);
}

function sourceOf({ count, name, amount }: Sample) {
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
    amountAtomic: amounts.usual,
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
  const time = new Date(from.getTime() + number * 600_000);
  return {
    id: BigInt(number),
    walletId: "01a20098-39e4-7000-8000-02911919b011",
    assetId: 1,
    kind: "confirmation",
    amountAtomic,
    blockNumber: 100n + BigInt(number),
    recordedAt: time,
    transaction: {
      id: "01a20098-39e4-7000-8000-02911919b014",
      type: "deposit",
      direction: "in",
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
