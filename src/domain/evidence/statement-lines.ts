import { createHash } from "node:crypto";
import { toChecksum } from "../chain/checksum.ts";
import { isTurnOver, nextTurn } from "../in-slices.ts";
import { toDecimal } from "../money/amount.ts";
import {
  type ChainBounds,
  isOfPriorPeriod,
  type JournalBound,
  type OpenStatement,
  type StatedEntry,
  type StatedHolding,
  type StatementAsked,
  type StatementFilter,
} from "./account-statement.ts";
import { canonicalJson } from "./canonical-json.ts";
import { localClock } from "./local-clock.ts";
import { type Sign, type Signature, signedText, statedSignature } from "./signing-key.ts";
import { entryType, StatementSums, type StatementTotal, typeTexts } from "./statement-totals.ts";

/** One line of a statement. `line` says which: docs/evidence.md#statements. */
export type StatementLine =
  | ReturnType<typeof headLine>
  | (StatedChain & { line: "chain" })
  | Since2<ReturnType<typeof balanceLine>, "wallet_added_at">
  | Since2<ReturnType<typeof entryLine>, "price_as_of" | "price_source" | "since_block" | "state">
  | ReturnType<typeof totalLine>
  | { line: "count"; holdings: number; entries: number; unpriced: number }
  | { line: "end"; digest: string; signature: ReturnType<typeof statedSignature> };

/** A line of which form 1 has no field of these names. */
type Since2<Line, Name extends keyof Line> = Omit<Line, Name> & Partial<Pick<Line, Name>>;

type Source = {
  id: string;
  madeAt: Date;
  asked: StatementAsked;
  statement: OpenStatement;
  sign: Sign;
};

/** The outcome of a statement whose lines are all made. */
export type StatementOutcome = {
  holdings: number;
  /** Of them, those whose first balance was not read yet. */
  unknownOpenings: number;
  entries: number;
  /** Entries of transactions that had no price. */
  unpriced: number;
  /** SHA-256 of all lines but the last one, hex. */
  digest: string;
  signature: Signature;
};

/** Characters of entries that are handed on at once, about: one by one they take longer. */
const textLength = 16 * 1024;

/**
 * The lines of a statement as canonical JSON, each with its line break and any number of them at
 * once, in constant memory. The last one has the digest of all lines before it and its signature. A
 * statement without it is not whole.
 * @throws Fault `invariant_broken` where the entries do not add up to the closing
 */
export async function* statementLines(source: Source): AsyncGenerator<string, StatementOutcome> {
  const digest = createHash("sha256");
  const covered = (text: string) => {
    digest.update(text);
    return text;
  };
  const { bounds, parts } = source.statement;
  yield covered(textOf(headLine(source)));
  for (const one of bounds) yield covered(textOf({ line: "chain", ...statedChain(one) }));
  const boundsOf = new Map(bounds.map((one) => [one.chainName, one]));
  const sums = new StatementSums();
  for await (const { holding, entries } of parts) {
    const of = boundsOf.get(holding.chainName);
    if (of === undefined) continue;
    sums.begin(holding);
    const fields = holdingFields(holding);
    yield covered(textOf(balanceLine("opening", holding, holding.openingAtomic)));
    for await (const page of entries) {
      let text = "";
      for (const entry of page) {
        text += textOf(entryLine({ fields, entry, of, balance: sums.add(holding, entry) }));
        if (isTurnOver()) await nextTurn();
        if (text.length < textLength) continue;
        yield covered(text);
        text = "";
      }
      if (text !== "") yield covered(text);
    }
    sums.end(holding);
    yield covered(textOf(balanceLine("closing", holding, holding.closingAtomic)));
  }
  for (const total of sums.totals()) yield covered(textOf(totalLine(total)));
  const { holdings, unknownOpenings, entries, unpriced } = sums;
  yield covered(textOf({ line: "count", holdings, entries, unpriced }));
  const sha256 = digest.digest("hex");
  const signature = await source.sign(signedText("statement", sha256));
  yield textOf({ line: "end", digest: sha256, signature: statedSignature(signature) });
  return { holdings, unknownOpenings, entries, unpriced, digest: sha256, signature };
}

function textOf(line: StatementLine): string {
  return `${canonicalJson(line)}\n`;
}

function headLine({ id, madeAt, asked, statement }: Source) {
  const { from, to, zone } = asked.period;
  const localText = localClock(zone);
  return {
    line: "statement" as const,
    statement: 2 as 1 | 2,
    id,
    made_at: madeAt.toISOString(),
    business_id: statement.business.id,
    business_name: statement.business.name,
    business_legal_name: statement.business.legalName,
    business_address: statement.business.address,
    from: from.toISOString(),
    to: to.toISOString(),
    time_zone: zone,
    from_local: localText(from),
    to_local: localText(to),
    filter: statedFilter(asked.filter),
  };
}

export type StatedFilter = Record<
  "blockchain" | "asset" | "wallet_id" | "label" | "reference_prefix",
  string | null
>;

/** A filter as a statement says it. Null: not asked for. */
export function statedFilter(filter: StatementFilter): StatedFilter {
  const { chainName, assetCode, walletId, label, referencePrefix } = filter;
  return {
    blockchain: chainName ?? null,
    asset: assetCode ?? null,
    wallet_id: walletId ?? null,
    label: label ?? null,
    reference_prefix: referencePrefix ?? null,
  };
}

/** The two ends of a chain as a statement says them. */
export type StatedChain = ReturnType<typeof statedChain>;

/** See StatedChain. */
export function statedChain({ chainName, evmChainId, opening, closing }: ChainBounds) {
  return {
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

function balanceLine(line: "opening" | "closing", holding: StatedHolding, amountAtomic: bigint) {
  return {
    line,
    ...holdingFields(holding),
    asset_address: holding.assetAddress,
    amount: toDecimal(amountAtomic, holding.assetDecimals),
    amount_atomic: amountAtomic.toString(),
    opening_known: holding.isOpeningKnown,
    wallet_added_at: holding.addedAt.toISOString(),
    wallet_ended_at: holding.removedAt?.toISOString() ?? null,
  };
}

type Entry = {
  fields: ReturnType<typeof holdingFields>;
  entry: StatedEntry;
  of: ChainBounds;
  balance: bigint;
};

/** Its names are in the order of canonical JSON, which writes such a line three times as fast. */
function entryLine({ fields, entry, of, balance }: Entry) {
  const { id, kind, amountAtomic, blockNumber, recordedAt, transaction } = entry;
  return {
    address: fields.address,
    amount: toDecimal(amountAtomic, fields.decimals),
    amount_atomic: amountAtomic.toString(),
    asset: fields.asset,
    balance: toDecimal(balance, fields.decimals),
    block: Number(blockNumber),
    block_hash: transaction?.blockHash ?? null,
    blockchain: fields.blockchain,
    decimals: fields.decimals,
    entry_id: id.toString(),
    from: transaction === null ? null : checksumOrText(transaction.fromAddress),
    kind,
    label: fields.label,
    line: "entry" as const,
    memo: transaction?.memo ?? null,
    price_as_of: transaction?.priceAsOf?.toISOString() ?? null,
    price_source: transaction?.priceSource ?? null,
    prior_period: isOfPriorPeriod(entry, of),
    recorded_at: recordedAt.toISOString(),
    reference: fields.reference,
    since_block: numberOrNull(transaction?.sinceNumber ?? null),
    state: transaction?.status ?? null,
    time: transaction?.blockTime?.toISOString() ?? null,
    to: transaction === null ? null : checksumOrText(transaction.toAddress),
    transaction_id: transaction?.id ?? null,
    tx_hash: transaction?.txHash ?? null,
    type: entryType(entry),
    usd_value: transaction?.usdValue ?? null,
    wallet_id: fields.wallet_id,
  };
}

function numberOrNull(number: bigint | null): number | null {
  return number === null ? null : Number(number);
}

/** The other side of a correction or of an income is a word. */
function checksumOrText(address: string): string {
  return /^0x[0-9a-f]{40}$/.test(address) ? toChecksum(address) : address;
}

function totalLine(total: StatementTotal) {
  const { chainName, assetCode, assetDecimals, openingAtomic, closingAtomic, entries } = total;
  return {
    line: "total" as const,
    blockchain: chainName,
    asset: assetCode,
    decimals: assetDecimals,
    opening: toDecimal(openingAtomic, assetDecimals),
    closing: toDecimal(closingAtomic, assetDecimals),
    entries,
    by_type: typeTexts(total),
  };
}
