import { createHash, createPublicKey, verify } from "node:crypto";
import { type Holding, type Line, type LineOf, lineSchema } from "./line-schema.ts";

// Adds a statement up again, and compares it with its digest and a public key. This file shares no
// code with what makes statements, so a fault there shows here. It reads one line at a time, so a
// statement may have any size.

export type Verdict = { entries: number; holdings: number; wrong: string[]; missing: string[] };

type Total = {
  decimals: number;
  opening: bigint;
  closing: bigint;
  /** Of the closing, what is in wallets that had not ended before the period did. */
  watched: bigint;
  entries: number;
  byType: Map<string, bigint>;
};

/** The sums so far. */
type Sums = {
  verdict: Verdict;
  head: LineOf<"statement"> | null;
  chains: Map<string, LineOf<"chain">>;
  /** The balance whose entries are being read. Null: none. */
  open: { of: LineOf<"opening">; balance: bigint; lastEntry: bigint } | null;
  lastWallet: string;
  assetsOfWallet: Set<string>;
  totals: Map<string, Total>;
  shownTotals: number;
  unpriced: number;
  unconfirmed: number;
  lastUnconfirmed: string;
  counted: boolean;
};

/**
 * Adds a statement up again, line by line.
 * @param publicKey the base64 of the key's 32 bytes, which must come from elsewhere; null: no key
 */
export async function verifyStatement(
  lines: AsyncIterable<string> | Iterable<string>,
  publicKey: string | null,
): Promise<Verdict> {
  const verdict: Verdict = { entries: 0, holdings: 0, wrong: [], missing: [] };
  const sums: Sums = {
    verdict,
    head: null,
    chains: new Map(),
    open: null,
    lastWallet: "",
    assetsOfWallet: new Set(),
    totals: new Map(),
    shownTotals: 0,
    unpriced: 0,
    unconfirmed: 0,
    lastUnconfirmed: "",
    counted: false,
  };
  const hash = createHash("sha256");
  let end: End | null = null;
  let number = 0;
  for await (const text of lines) {
    number += 1;
    const line = parse(text);
    if (line === null) verdict.wrong.push(`line ${number} is no line of a statement`);
    else if (end !== null) verdict.wrong.push(`line ${number} stands after the end`);
    else if ((number === 1) !== (line.line === "statement"))
      verdict.wrong.push(`line ${number} is '${line.line}'`);
    else if (line.line !== "end")
      read(line, sums, (what) => verdict.wrong.push(`line ${number}: ${what}`));
    if (line?.line === "end" && end === null) end = { line, text };
    else hash.update(`${text}\n`);
  }
  verifyWhole(sums);
  verifyEnd({ end, digest: hash.digest("hex"), publicKey }, verdict);
  return verdict;
}

function parse(text: string): Line | null {
  try {
    return lineSchema.parse(JSON.parse(text));
  } catch {
    return null;
  }
}

type Say = (what: string) => void;

function read(line: Exclude<Line, LineOf<"end">>, sums: Sums, say: Say): void {
  switch (line.line) {
    case "statement":
      sums.head = line;
      return;
    case "chain":
      readChain(line, sums, say);
      return;
    case "opening":
      readOpening(line, sums, say);
      return;
    case "entry":
      readEntry(line, sums, say);
      return;
    case "closing":
      readClosing(line, sums, say);
      return;
    case "total":
      readTotal(line, sums, say);
      return;
    case "unconfirmed":
      readUnconfirmed(line, sums, say);
      return;
    case "count":
      readCount(line, sums, say);
      return;
  }
}

function readChain(line: LineOf<"chain">, { chains, verdict }: Sums, say: Say): void {
  const { blockchain, opening, closing } = line;
  if (chains.has(blockchain)) say(`chain ${blockchain} stands twice`);
  chains.set(blockchain, line);
  if ((opening.block ?? -1) > (closing.block ?? -1) || opening.seal > closing.seal)
    say("the closing lies before the opening");
  if (opening.block !== null && opening.block_hash === null)
    verdict.missing.push(`${blockchain}: the hash of the opening's block`);
  if (closing.block !== null && closing.block_hash === null)
    verdict.missing.push(`${blockchain}: the hash of the closing's block`);
  if (!closing.final) verdict.missing.push(`${blockchain}: the end of the period`);
}

function nameOf({ blockchain, wallet_id, asset }: Holding): string {
  return `${blockchain} ${asset} of wallet ${wallet_id}`;
}

function readOpening(line: LineOf<"opening">, sums: Sums, say: Say): void {
  if (sums.open !== null) say(`${nameOf(sums.open.of)} has no closing`);
  if (!sums.chains.has(line.blockchain)) say(`chain ${line.blockchain} has no line`);
  if (line.wallet_id < sums.lastWallet) say(`${nameOf(line)} is out of order`);
  if (line.wallet_id !== sums.lastWallet) sums.assetsOfWallet.clear();
  if (sums.assetsOfWallet.has(line.asset)) say(`${nameOf(line)} stands twice`);
  sums.lastWallet = line.wallet_id;
  sums.assetsOfWallet.add(line.asset);
  if (!line.opening_known) sums.verdict.missing.push(`${nameOf(line)}: what it held at first`);
  verifyAmount(line, say);
  const balance = BigInt(line.amount_atomic);
  sums.open = { of: line, balance, lastEntry: 0n };
  sums.verdict.holdings += 1;
  totalOf(sums, line).opening += balance;
}

function readEntry(line: LineOf<"entry">, sums: Sums, say: Say): void {
  const { open, chains } = sums;
  verifyAmount(line, say);
  if (open === null || nameOf(open.of) !== nameOf(line)) {
    say(`entry ${line.entry_id} stands outside of its balance`);
    return;
  }
  const id = BigInt(line.entry_id);
  if (id <= open.lastEntry) say(`entry ${id} stands twice, or out of order`);
  open.lastEntry = id;
  const amount = BigInt(line.amount_atomic);
  open.balance += amount;
  if (toAtomic(line.balance, line.decimals) !== open.balance)
    say(`the balance after entry ${id} is ${line.balance}, and adds up to ${open.balance} atomic`);
  const chain = chains.get(line.blockchain);
  const isPrior = line.block <= (chain?.opening.block ?? -1);
  if (line.block > (chain?.closing.block ?? -1)) say(`entry ${id} lies after the period`);
  if (isPrior !== line.prior_period) say(`entry ${id} is of another period than it says`);
  if (line.transaction_id !== null && line.usd_value === null) sums.unpriced += 1;
  const { price_source: source = null, price_as_of: asOf = null } = line;
  if ((source === null) !== (asOf === null) || (source !== null && line.usd_value === null))
    say(`entry ${id} has a part of a price`);
  sums.verdict.entries += 1;
  const total = totalOf(sums, line);
  total.entries += 1;
  total.byType.set(line.type, (total.byType.get(line.type) ?? 0n) + amount);
}

function readClosing(line: LineOf<"closing">, sums: Sums, say: Say): void {
  verifyAmount(line, say);
  const { open } = sums;
  sums.open = null;
  if (open === null || nameOf(open.of) !== nameOf(line)) {
    say(`${nameOf(line)} has no opening`);
    return;
  }
  const amount = BigInt(line.amount_atomic);
  if (amount !== open.balance)
    say(`${nameOf(line)} closes at ${amount}, and adds up to ${open.balance}`);
  const total = totalOf(sums, line);
  total.closing += amount;
  const endedAt = line.wallet_ended_at;
  const periodTo = sums.head?.to ?? "";
  if (endedAt === null || Date.parse(endedAt) >= Date.parse(periodTo)) total.watched += amount;
}

function totalOf(sums: Sums, { blockchain, asset, decimals }: Holding): Total {
  const key = JSON.stringify([blockchain, asset]);
  const known = sums.totals.get(key);
  if (known !== undefined) return known;
  const nothing = { opening: 0n, closing: 0n, watched: 0n, entries: 0 };
  const total = { decimals, ...nothing, byType: new Map() };
  sums.totals.set(key, total);
  return total;
}

function readTotal(line: LineOf<"total">, sums: Sums, say: Say): void {
  sums.shownTotals += 1;
  const parts = [...sums.totals].flatMap(([key, total]) => {
    const [chain, asset] = JSON.parse(key);
    return asset === line.asset && (line.blockchain ?? chain) === chain ? [total] : [];
  });
  const sum = (of: (total: Total) => bigint) =>
    parts.reduce((all, one) => all + of(one) * 10n ** BigInt(line.decimals - one.decimals), 0n);
  const name = `the total of ${line.blockchain ?? "every chain"} ${line.asset}`;
  if (parts.length === 0 || parts.some(({ decimals }) => decimals > line.decimals)) {
    say(`${name} is of nothing`);
    return;
  }
  const expect = (what: string, text: string, atomicAmount: bigint) => {
    if (toAtomic(text, line.decimals) !== atomicAmount)
      say(`${name}: ${what} is ${text}, and adds up to ${atomicAmount} atomic`);
  };
  expect(
    "the opening",
    line.opening,
    sum(({ opening }) => opening),
  );
  expect(
    "the closing",
    line.closing,
    sum(({ closing }) => closing),
  );
  // Statements that were made before it was there have none.
  if (line.closing_watched !== undefined)
    expect(
      "the closing of watched wallets",
      line.closing_watched,
      sum(({ watched }) => watched),
    );
  const types = new Set([
    ...Object.keys(line.by_type),
    ...parts.flatMap((one) => [...one.byType.keys()]),
  ]);
  for (const type of types)
    expect(
      type,
      line.by_type[type] ?? "0",
      sum(({ byType }) => byType.get(type) ?? 0n),
    );
  if (parts.reduce((all, one) => all + one.entries, 0) !== line.entries)
    say(`${name} counts ${line.entries} entries`);
}

/** Reads an unconfirmed transaction, which no balance and no total contains. */
function readUnconfirmed(line: LineOf<"unconfirmed">, sums: Sums, say: Say): void {
  const { transaction_id: id, state, waits_for: waitsFor } = line;
  verifyAmount(line, say);
  if (sums.open !== null) say(`transaction ${id} stands within a balance`);
  if (!sums.chains.has(line.blockchain)) say(`chain ${line.blockchain} has no line`);
  if (id <= sums.lastUnconfirmed) say(`transaction ${id} stands twice, or out of order`);
  if ((state === "pending") !== (waitsFor !== null))
    say(`transaction ${id} is ${state}, and waits for ${waitsFor ?? "nothing"}`);
  sums.lastUnconfirmed = id;
  sums.unconfirmed += 1;
}

function readCount(line: LineOf<"count">, sums: Sums, say: Say): void {
  const { holdings, entries } = sums.verdict;
  const unconfirmed = line.unconfirmed ?? 0;
  if (sums.counted) say("the count stands twice");
  sums.counted = true;
  if (unconfirmed !== sums.unconfirmed)
    say(
      `it counts ${unconfirmed} transactions that are not confirmed; there are ${sums.unconfirmed}`,
    );
  if (line.holdings !== holdings || line.entries !== entries || line.unpriced !== sums.unpriced)
    say(
      `it counts ${line.holdings} balances, ${line.entries} entries, ${line.unpriced} of them without a price; there are ${holdings}, ${entries} and ${sums.unpriced}`,
    );
}

/** Checks that each asset has a total, and each code on several chains has one over all of them. */
function verifyWhole({ head, chains, open, totals, shownTotals, counted, verdict }: Sums): void {
  // Of a chain its own line says whether it has confirmed the end of the period.
  if (chains.size === 0 && head !== null && Date.parse(head.made_at) < Date.parse(head.to))
    verdict.missing.push("the end of the period");
  if (open !== null) verdict.wrong.push(`${nameOf(open.of)} has no closing`);
  const codes = [...totals.keys()].map((key): unknown => JSON.parse(key)[1]);
  const shared = new Set(codes.filter((code, place) => codes.indexOf(code) !== place));
  if (shownTotals !== totals.size + shared.size)
    verdict.wrong.push(`there are ${shownTotals} totals, not ${totals.size + shared.size}`);
  if (!counted) verdict.wrong.push("the count of entries is not there");
}

/** The last line, as it is read and as it is written. */
type End = { line: LineOf<"end">; text: string };

/** The digest covers every byte but those of the last line. They must be as they are written. */
function textOfEnd({ digest, signature: { algorithm, key_id, value } }: LineOf<"end">): string {
  return JSON.stringify({ digest, line: "end", signature: { algorithm, key_id, value } });
}

function verifyEnd(
  of: { end: End | null; digest: string; publicKey: string | null },
  { wrong, missing }: Verdict,
): void {
  const { digest, publicKey } = of;
  if (publicKey === null) missing.push("a public key from elsewhere (--key)");
  if (of.end === null) {
    wrong.push("it has no end: it is not whole");
    return;
  }
  const { line: end, text } = of.end;
  if (text !== textOfEnd(end)) wrong.push("the end is not written as Chainbell writes it");
  if (end.digest !== digest) wrong.push(`the digest is ${end.digest}, not ${digest}`);
  if (publicKey === null) return;
  const bytes = Buffer.from(publicKey, "base64");
  const keyId = createHash("sha256").update(bytes).digest("hex").slice(0, 16);
  if (end.signature.key_id !== keyId) {
    wrong.push(`it is signed by key ${end.signature.key_id}, not by ${keyId}`);
    return;
  }
  // RFC 8410, 4: the fixed beginning of an ed25519 key, then the bytes of the key.
  const der = Buffer.concat([Buffer.from("302a300506032b6570032100", "hex"), bytes]);
  const key = createPublicKey({ key: der, format: "der", type: "spki" });
  const value = Buffer.from(end.signature.value, "base64");
  // A decoder of base64 passes over signs that are none, and over the last bits.
  const isWritten = value.toString("base64") === end.signature.value;
  if (!isWritten || !verify(null, Buffer.from(`chainbell statement sha256:${digest}`), key, value))
    wrong.push(`key ${keyId} has not signed this`);
}

function verifyAmount(line: Holding, say: Say): void {
  if (toAtomic(line.amount, line.decimals) !== BigInt(line.amount_atomic))
    say(`${line.amount} is not ${line.amount_atomic} with ${line.decimals} decimals`);
}

function toAtomic(text: string, decimals: number): bigint | null {
  const [whole = "", fraction = ""] = text.replace("-", "").split(".");
  if (fraction.length > decimals) return null;
  const units = BigInt(whole + fraction.padEnd(decimals, "0"));
  return text.startsWith("-") ? -units : units;
}
