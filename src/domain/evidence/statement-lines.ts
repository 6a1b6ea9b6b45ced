import { createHash } from "node:crypto";
import { toChecksum } from "../chain/checksum.ts";
import { csvLine } from "../csv.ts";
import { toDecimal } from "../money/amount.ts";
import {
  type ChainBounds,
  isOfPriorPeriod,
  type JournalBound,
  type OpenStatement,
  type StatedEntry,
  type StatedHolding,
  type StatementAsked,
} from "./account-statement.ts";
import { canonicalJson } from "./canonical-json.ts";
import type { Sign } from "./signing-key.ts";
import { entryType, StatementSums, type StatementTotal, typeTexts } from "./statement-totals.ts";

/** One line of a statement. `line` says which: docs/evidence.md#statements. */
export type StatementLine = { line: string } & Record<string, unknown>;

export const statementFormats = ["jsonl", "csv"] as const;

export type StatementFormat = (typeof statementFormats)[number];

type Source = {
  id: string;
  madeAt: Date;
  asked: StatementAsked;
  statement: OpenStatement;
  sign: Sign;
};

/**
 * The lines of a statement, in constant memory. The last one has the digest of all lines before it
 * and its signature. A statement without it is not whole.
 * @throws Fault `invariant_broken` where the entries do not add up to the closing
 */
export async function* statementLines(source: Source): AsyncGenerator<StatementLine> {
  const digest = createHash("sha256");
  const covered = (line: StatementLine) => {
    digest.update(`${canonicalJson(line)}\n`);
    return line;
  };
  const { bounds, parts } = source.statement;
  yield covered(headLine(source));
  for (const one of bounds) yield covered(chainLine(one));
  const boundsOf = new Map(bounds.map((one) => [one.chainName, one]));
  const sums = new StatementSums();
  for await (const { holding, entries } of parts) {
    const of = boundsOf.get(holding.chainName);
    if (of === undefined) continue;
    sums.begin(holding);
    yield covered(balanceLine("opening", holding, holding.openingAtomic));
    for await (const page of entries)
      for (const entry of page)
        yield covered(entryLine({ holding, entry, of, balance: sums.add(holding, entry) }));
    sums.end(holding);
    yield covered(balanceLine("closing", holding, holding.closingAtomic));
  }
  for (const total of sums.totals()) yield covered(totalLine(total));
  const { holdings, entries, unpriced } = sums;
  yield covered({ line: "count", holdings, entries, unpriced });
  const sha256 = digest.digest("hex");
  const { keyId, value } = await source.sign(`chainbell statement sha256:${sha256}`);
  const signature = { key_id: keyId, algorithm: "ed25519", value };
  yield { line: "end", digest: sha256, signature };
}

function headLine({ id, madeAt, asked, statement }: Source): StatementLine {
  const { from, to, zone } = asked.period;
  const { chainName, assetCode, walletId, label, referencePrefix } = asked.filter;
  return {
    line: "statement",
    statement: 1,
    id,
    made_at: madeAt.toISOString(),
    business_id: statement.business.id,
    business_name: statement.business.name,
    from: from.toISOString(),
    to: to.toISOString(),
    time_zone: zone,
    from_local: localText(from, zone),
    to_local: localText(to, zone),
    filter: {
      blockchain: chainName ?? null,
      asset: assetCode ?? null,
      wallet_id: walletId ?? null,
      label: label ?? null,
      reference_prefix: referencePrefix ?? null,
    },
  };
}

/** A moment as the clocks of a zone show it, with the zone's offset. */
function localText(moment: Date, zone: string): string {
  const format = new Intl.DateTimeFormat("sv-SE", {
    timeZone: zone,
    dateStyle: "short",
    timeStyle: "medium",
  });
  const offset = new Intl.DateTimeFormat("en-US", { timeZone: zone, timeZoneName: "longOffset" })
    .formatToParts(moment)
    .find(({ type }) => type === "timeZoneName");
  return `${format.format(moment)} ${offset?.value ?? zone}`;
}

function chainLine({ chainName, evmChainId, opening, closing }: ChainBounds): StatementLine {
  return {
    line: "chain",
    blockchain: chainName,
    chain_id: Number(evmChainId),
    opening: boundOf(opening),
    closing: boundOf(closing),
  };
}

function boundOf({ number, hash, blockTime, seal, sealHash, isOver }: JournalBound) {
  return {
    block: number === null ? null : Number(number),
    block_hash: hash,
    block_time: blockTime?.toISOString() ?? null,
    seal: Number(seal),
    seal_hash: sealHash,
    /** False: the moment was not confirmed yet when this was made. */
    final: isOver,
  };
}

function holdingFields(holding: StatedHolding) {
  const { chainName, walletId, address, label, reference, assetCode, assetDecimals } = holding;
  return {
    blockchain: chainName,
    wallet_id: walletId,
    address: toChecksum(address),
    label,
    reference,
    asset: assetCode,
    decimals: assetDecimals,
  };
}

function balanceLine(
  line: "opening" | "closing",
  holding: StatedHolding,
  amountAtomic: bigint,
): StatementLine {
  return {
    line,
    ...holdingFields(holding),
    asset_address: holding.assetAddress,
    amount: toDecimal(amountAtomic, holding.assetDecimals),
    amount_atomic: amountAtomic.toString(),
    opening_known: holding.isOpeningKnown,
    wallet_ended_at: holding.removedAt?.toISOString() ?? null,
  };
}

type Entry = { holding: StatedHolding; entry: StatedEntry; of: ChainBounds; balance: bigint };

function entryLine({ holding, entry, of, balance }: Entry): StatementLine {
  const { id, kind, amountAtomic, blockNumber, recordedAt, transaction } = entry;
  return {
    line: "entry",
    ...holdingFields(holding),
    entry_id: id.toString(),
    kind,
    type: entryType(entry),
    prior_period: isOfPriorPeriod(entry, of),
    amount: toDecimal(amountAtomic, holding.assetDecimals),
    amount_atomic: amountAtomic.toString(),
    balance: toDecimal(balance, holding.assetDecimals),
    usd_value: transaction?.usdValue ?? null,
    time: transaction?.blockTime.toISOString() ?? null,
    recorded_at: recordedAt.toISOString(),
    block: Number(blockNumber),
    block_hash: transaction?.blockHash ?? null,
    tx_hash: transaction?.txHash ?? null,
    transaction_id: transaction?.id ?? null,
    from: transaction === null ? null : checksumOrText(transaction.fromAddress),
    to: transaction === null ? null : checksumOrText(transaction.toAddress),
    memo: transaction?.memo ?? null,
  };
}

/** The other side of a correction or of an income is a word. */
function checksumOrText(address: string): string {
  return /^0x[0-9a-f]{40}$/.test(address) ? toChecksum(address) : address;
}

function totalLine(total: StatementTotal): StatementLine {
  const { chainName, assetCode, assetDecimals, openingAtomic, closingAtomic, entries } = total;
  return {
    line: "total",
    blockchain: chainName,
    asset: assetCode,
    decimals: assetDecimals,
    opening: toDecimal(openingAtomic, assetDecimals),
    closing: toDecimal(closingAtomic, assetDecimals),
    entries,
    by_type: typeTexts(total),
  };
}

/** The columns of CSV. Every other field of a line is in `more`, as JSON. */
const columns = [
  "line",
  "blockchain",
  "wallet_id",
  "address",
  "label",
  "reference",
  "asset",
  "type",
  "kind",
  "prior_period",
  "time",
  "amount",
  "balance",
  "usd_value",
  "block",
  "tx_hash",
  "from",
  "to",
  "transaction_id",
  "recorded_at",
] as const;

/** The lines as texts, each with its line break. */
export async function* statementTexts(
  lines: AsyncIterable<StatementLine>,
  format: StatementFormat,
): AsyncGenerator<string> {
  if (format === "csv") yield csvLine([...columns, "more"]);
  for await (const line of lines) yield format === "csv" ? csvOf(line) : `${canonicalJson(line)}\n`;
}

function csvOf(line: StatementLine): string {
  const named = new Set<string>(columns);
  const more = Object.entries(line).filter(([name]) => !named.has(name));
  const cells = columns.map((name) => {
    const value = line[name];
    return value === null || value === undefined ? null : String(value);
  });
  return csvLine([...cells, canonicalJson(Object.fromEntries(more))]);
}
