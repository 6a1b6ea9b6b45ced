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
  type UnconfirmedTransaction,
} from "./account-statement.ts";
import { canonicalJson } from "./canonical-json.ts";
import { localClock } from "./local-clock.ts";
import { type Sign, type Signature, signedText, statedSignature } from "./signing-key.ts";
import { entryType, StatementSums, type StatementTotal, typeTexts } from "./statement-totals.ts";

/** One line of a statement. `line` names its kind: docs/evidence.md#statements. */
export type StatementLine =
  | ReturnType<typeof headLine>
  | (StatedChain & { line: "chain" })
  | Since2<ReturnType<typeof balanceLine>, "wallet_added_at">
  | Since2<ReturnType<typeof entryLine>, "price_as_of" | "price_source" | "since_block" | "state">
  | Since2<ReturnType<typeof totalLine>, "closing_watched">
  | ReturnType<typeof unconfirmedLine>
  | Since2<ReturnType<typeof countLine>, "unconfirmed">
  | { line: "end"; digest: string; signature: ReturnType<typeof statedSignature> };

/** A line in which form 1 lacks the named fields. */
type Since2<Line, Name extends keyof Line> = Omit<Line, Name> & Partial<Pick<Line, Name>>;

type Source = {
  id: string;
  madeAt: Date;
  asked: StatementAsked;
  statement: OpenStatement;
  sign: Sign;
};

/** The outcome of a statement after its last line. */
export type StatementOutcome = {
  holdings: number;
  /** The number of holdings with an unread opening balance. */
  unknownOpenings: number;
  entries: number;
  /** The number of entries of transactions without a price. */
  unpriced: number;
  /** The number of transactions in blocks of the period that are not in the closing. */
  unconfirmed: number;
  /** The SHA-256 of all lines except the last one, hex. */
  digest: string;
  signature: Signature;
};

/** Entries are yielded in texts of about this many characters. One by one takes longer. */
const textLength = 16 * 1024;

/** About this many characters of lines are one part. A part is hashed in one call. */
const partLength = 64 * 1024;

/**
 * The lines of a statement as canonical JSON in UTF-8, each with its line break, many in one part.
 * Memory is constant. The last line has the digest of all lines before it, and its signature.
 * Without that line a statement is not complete.
 * @throws Fault `invariant_broken` if the entries do not add up to the closing
 */
export async function* statementLines(source: Source): AsyncGenerator<Buffer, StatementOutcome> {
  const digest = createHash("sha256");
  const sums = new StatementSums(source.asked.period);
  let text = "";
  for await (const some of coveredLines(source, sums)) {
    text += some;
    if (text.length < partLength) continue;
    const part = Buffer.from(text);
    digest.update(part);
    yield part;
    text = "";
  }
  const sha256 = digest.update(text).digest("hex");
  const signature = await source.sign(signedText("statement", sha256));
  const end = { line: "end" as const, digest: sha256, signature: statedSignature(signature) };
  yield Buffer.from(text + textOf(end));
  return { ...sums.counts(), unknownOpenings: sums.unknownOpenings, digest: sha256, signature };
}

/** The lines that the digest covers, several in one text. */
async function* coveredLines(source: Source, sums: StatementSums): AsyncGenerator<string> {
  const { bounds, parts, unconfirmed } = source.statement;
  yield textOf(headLine(source));
  for (const one of bounds) yield textOf({ line: "chain", ...statedChain(one) });
  const boundsOf = new Map(bounds.map((one) => [one.chainName, one]));
  for await (const { holding, entries } of parts) {
    const of = boundsOf.get(holding.chainName);
    if (of === undefined) continue;
    sums.begin(holding);
    const fields = holdingFields(holding);
    yield textOf(balanceLine("opening", holding, holding.openingAtomic));
    for await (const page of entries) {
      let text = "";
      for (const entry of page) {
        text += entryText({ fields, entry, of, balance: sums.add(holding, entry) });
        if (isTurnOver()) await nextTurn();
        if (text.length < textLength) continue;
        yield text;
        text = "";
      }
      if (text !== "") yield text;
    }
    sums.end(holding);
    yield textOf(balanceLine("closing", holding, holding.closingAtomic));
  }
  for (const total of sums.totals()) yield textOf(totalLine(total));
  for await (const some of unconfirmed) {
    sums.unconfirmed += some.length;
    yield some.map((one) => textOf(unconfirmedLine(one))).join("");
  }
  yield textOf(countLine(sums.counts()));
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

/** A filter in the form of a statement. Null: not asked for. */
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

/** The two ends of a chain in the form of a statement. */
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
    /** False: the moment was not confirmed yet when the statement was made. */
    final: isOver,
  };
}

function holdingFields(holding: StatedHolding | UnconfirmedTransaction) {
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

/** The names are in the order of canonical JSON. Sorting them would take longer. */
function entryText(entry: Entry): string {
  return `${JSON.stringify(entryLine(entry))}\n`;
}

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
    price_as_of: transaction?.priceAsOf ?? null,
    price_source: transaction?.priceSource ?? null,
    prior_period: isOfPriorPeriod(entry, of),
    recorded_at: recordedAt,
    reference: fields.reference,
    since_block: numberOrNull(transaction?.sinceNumber ?? null),
    state: transaction?.status ?? null,
    time: transaction?.blockTime ?? null,
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

/** The other side in its checksum form. For a correction or an income it is a word, and stays. */
function checksumOrText(address: string): string {
  return /^0x[0-9a-f]{40}$/.test(address) ? toChecksum(address) : address;
}

function totalLine(total: StatementTotal) {
  const { chainName, assetCode, assetDecimals, entries } = total;
  const decimal = (amountAtomic: bigint) => toDecimal(amountAtomic, assetDecimals);
  return {
    line: "total" as const,
    blockchain: chainName,
    asset: assetCode,
    decimals: assetDecimals,
    opening: decimal(total.openingAtomic),
    closing: decimal(total.closingAtomic),
    /** Without what ended wallets last had: their addresses may be watched as other wallets now. */
    closing_watched: decimal(total.watchedAtomic),
    entries,
    by_type: typeTexts(total),
  };
}

/** The reason why a transaction is not in the closing. Null: it was confirmed afterwards. */
function waitsFor({ status, isHeld }: UnconfirmedTransaction): "confirmation" | "proof" | null {
  if (status !== "pending") return null;
  return isHeld ? "proof" : "confirmation";
}

function unconfirmedLine(one: UnconfirmedTransaction) {
  const fields = holdingFields(one);
  return {
    line: "unconfirmed" as const,
    ...fields,
    type: one.type,
    amount: toDecimal(one.amountAtomic, fields.decimals),
    amount_atomic: one.amountAtomic.toString(),
    time: one.blockTime.toISOString(),
    block: Number(one.blockNumber),
    block_hash: one.blockHash,
    tx_hash: one.txHash,
    transaction_id: one.id,
    from: checksumOrText(one.fromAddress),
    to: checksumOrText(one.toAddress),
    memo: one.memo,
    state: one.status,
    waits_for: waitsFor(one),
  };
}

type Counts = Pick<StatementOutcome, "holdings" | "entries" | "unpriced" | "unconfirmed">;

function countLine(counts: Counts) {
  return { line: "count" as const, ...counts };
}
