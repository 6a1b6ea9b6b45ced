// @ts-check
// Adds statements up again with no code of Chainbell: the folders that `npm run simulate -- --statements FOLDER` wrote.
// Usage: node scripts/add-again.mjs FOLDER [--planted]. With --planted it also puts 20 changes into each format
// of each statement with entries, one at a time, and counts those that it finds. Status 0: all adds up, all are found.
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { endReader, readRows } from "./read-parquet.mjs";

const [folder = "", ...more] = process.argv.slice(2);
const isPlanted = more.includes("--planted");

/** @param {string} text @param {number} decimals */
function atomic(text, decimals) {
  const [whole = "", fraction = ""] = text.replace("-", "").split(".");
  if (!/^-?\d+(\.\d+)?$/.test(text) || fraction.length > decimals) return null;
  return BigInt(whole + fraction.padEnd(decimals, "0")) * (text.startsWith("-") ? -1n : 1n);
}

/** @param {string} text RFC 4180 */
function table(text) {
  const rows = [[""]];
  let isQuoted = false;
  for (let at = 0; at < text.length; at += 1) {
    const row = rows.at(-1) ?? [];
    const sign = text[at] ?? "";
    if (sign === '"' && isQuoted && text[at + 1] === '"') {
      row[row.length - 1] = `${row.at(-1) ?? ""}"`;
      at += 1;
    } else if (sign === '"') isQuoted = !isQuoted;
    else if (isQuoted || !/[,\r\n]/.test(sign)) row[row.length - 1] = (row.at(-1) ?? "") + sign;
    else if (sign === ",") row.push("");
    else if (sign === "\n") rows.push([""]);
  }
  rows.pop();
  return rows;
}

/** @param {string} text @returns {any[]} */
const jsonLines = (text) =>
  text
    .split("\n")
    .slice(0, -1)
    .map((line) => JSON.parse(line));

/** @param {string} text @returns {any[]} the lines; every value is a text or what `more` has */
function csvLines(text) {
  const [head = [], ...rows] = table(text);
  const bare = (/** @type {string} */ cell) => cell.replace(/(?<=^|[;\t])'/g, "");
  return rows.map((row) => {
    const cells = head.map((name, place) => [name, bare(row[place] ?? "")]);
    const fields = Object.fromEntries(
      cells.filter(([name, cell]) => name !== "more" && cell !== ""),
    );
    return { ...fields, ...JSON.parse(bare(row.at(-1) ?? "{}")), cells: row.length };
  });
}

/**
 * The sums of a code over its chains, in the smallest of their units.
 * @param {Map<string, any>} totals
 * @param {string} asset
 */
function overChains(totals, asset) {
  const parts = [...totals].filter(([key]) => key.split("/")[1] === asset).map(([, part]) => part);
  if (parts.length < 2) return null;
  const decimals = Math.max(...parts.map((part) => part.decimals));
  const types = /** @type {any} */ ({});
  const sum = { opening: 0n, closing: 0n, watched: 0n, entries: 0, decimals, types };
  for (const part of parts) {
    const unit = 10n ** BigInt(decimals - part.decimals);
    sum.opening += part.opening * unit;
    sum.closing += part.closing * unit;
    sum.watched += part.watched * unit;
    sum.entries += part.entries;
    for (const [type, amount] of Object.entries(part.types))
      sum.types[type] = (sum.types[type] ?? 0n) + amount * unit;
  }
  return sum;
}

/** @param {any[]} lines @param {(what: string) => void} say */
function addUp(lines, say) {
  /** @type {Map<string, any>} */
  const totals = new Map();
  /** @type {any} */
  let open = null;
  const count = { holdings: 0, entries: 0, unpriced: 0, unconfirmed: 0 };
  let shown = 0;
  const endsAt = Date.parse(lines[0]?.to);
  for (const line of lines) {
    const { decimals = 0 } = line;
    const amount = line.amount === undefined ? 0n : atomic(line.amount, decimals);
    if (line.amount !== undefined && amount?.toString() !== line.amount_atomic) say("two amounts");
    const holding = `${line.blockchain}/${line.asset}/${line.wallet_id}`;
    const of = `${line.blockchain}/${line.asset}`;
    if (["opening", "entry", "closing"].includes(line.line)) {
      if (amount === null) return say("no amount");
      const nothing = { opening: 0n, closing: 0n, watched: 0n, entries: 0 };
      if (!totals.has(of)) totals.set(of, { ...nothing, decimals, types: {} });
    }
    const total = totals.get(of);
    if (line.line === "opening") {
      if (open !== null) say("no closing");
      open = { holding, sum: amount, last: 0n };
      total.opening += amount;
      count.holdings += 1;
    } else if (line.line === "entry") {
      if (open?.holding !== holding) return say("an entry of another holding");
      if (BigInt(line.entry_id) <= open.last) say("the order of entries");
      open.last = BigInt(line.entry_id);
      open.sum += amount;
      if (atomic(line.balance, decimals) !== open.sum) say("a balance");
      total.entries += 1;
      total.types[line.type] = (total.types[line.type] ?? 0n) + amount;
      count.entries += 1;
      if ((line.transaction_id ?? null) !== null && (line.usd_value ?? null) === null)
        count.unpriced += 1;
    } else if (line.line === "closing") {
      if (open?.holding !== holding || open.sum !== amount) say("a closing");
      total.closing += amount;
      const endedAt = line.wallet_ended_at ?? null;
      if (endedAt === null || Date.parse(endedAt) >= endsAt) total.watched += amount;
      open = null;
    } else if (line.line === "total") {
      shown += 1;
      const own = (line.blockchain ?? null) === null ? overChains(totals, line.asset) : total;
      if (own === null || own === undefined) return say("a total of nothing");
      if (own.decimals !== decimals || own.entries !== line.entries) say("a total's count");
      if (atomic(line.opening, decimals) !== own.opening) say("a total's opening");
      if (atomic(line.closing, decimals) !== own.closing) say("a total's closing");
      if (atomic(line.closing_watched, decimals) !== own.watched) say("a total's watched closing");
      for (const type of new Set([...Object.keys(own.types), ...Object.keys(line.by_type)]))
        if (atomic(line.by_type[type] ?? "x", decimals) !== own.types[type]) say("a total by type");
    } else if (line.line === "unconfirmed") {
      if (amount === null || open !== null) say("what is not confirmed");
      count.unconfirmed += 1;
    } else if (line.line === "count")
      for (const [name, value] of Object.entries(count))
        if (line[name] !== value) say(`count of ${name}`);
  }
  const codes = [...totals.keys()].map((key) => key.split("/")[1]);
  const shared = new Set(codes.filter((code, place) => codes.indexOf(code) !== place));
  if (open !== null || shown !== totals.size + shared.size) say("the totals");
  if (lines.at(-1)?.line !== "end") say("the end");
}

const fieldsOf = (/** @type {any} */ line) =>
  JSON.stringify(
    Object.entries(line)
      .filter(([name, value]) => name !== "cells" && value !== null)
      .map(([name, value]) => [name, typeof value === "object" ? value : String(value)])
      .sort(([one], [other]) => (String(one) < String(other) ? -1 : 1)),
  );

const plain = (/** @type {string} */ html) => html.replaceAll(/<[^>]*>/g, "");

/** @param {string} page @param {any[]} signed @param {(what: string) => void} say */
function readPage(page, signed, say) {
  const lines = signed.filter(({ line }) => ["opening", "entry", "closing"].includes(line));
  const rows = page
    .split("\n")
    .filter(
      (row) =>
        row.includes('<tbody class="balance">') ||
        /^<tbody><tr><td>\d{4}-|^<tbody><tr><td>unknown/.test(row),
    );
  const more = page.split("\n").filter((row) => row.includes('<td colspan="5">'));
  if (rows.length !== lines.length) say("rows");
  let sum = 0n;
  let entry = 0;
  for (const [place, line] of lines.entries()) {
    const cells = [...(rows[place] ?? "").matchAll(/<td[^>]*>(.*?)<\/td>/g)].map(([, cell = ""]) =>
      plain(cell),
    );
    const amounts = line.line === "entry" ? cells.slice(2, 4) : cells.slice(1, 2);
    const [first, second] = amounts.map((cell) => atomic(cell, line.decimals));
    if (line.line === "opening") sum = first ?? 0n;
    if (line.line === "closing" && first !== sum) say("a closing");
    if (line.line !== "entry") {
      if (first?.toString() !== line.amount_atomic || cells[0]?.toLowerCase() !== line.line)
        say("a balance");
      continue;
    }
    sum += first ?? 0n;
    if (second !== sum) say("the balance after an entry");
    const [, type = ""] = cells;
    if (!type.startsWith(line.type) || (line.usd_value ?? "") !== (cells[4] ?? ""))
      say("a type or a value");
    const text = plain(more[entry] ?? "");
    entry += 1;
    const words = [`entry ${line.entry_id}, block ${line.block}`, line.tx_hash, line.from, line.to];
    for (const word of words) if (word !== null && !text.includes(word)) say("what an entry is of");
  }
  const waiting = signed.filter(({ line }) => line === "unconfirmed");
  const apart = page.split("\n").filter((row) => row.includes('<tbody class="unconfirmed">'));
  if (apart.length !== waiting.length) say("what is not confirmed");
  for (const [place, line] of waiting.entries()) {
    const [, type, amount] = [...(apart[place] ?? "").matchAll(/<td[^>]*>(.*?)<\/td>/g)].map(
      ([, cell = ""]) => plain(cell),
    );
    if (
      type !== line.type ||
      atomic(amount ?? "", line.decimals)?.toString() !== line.amount_atomic
    )
      say("what is not confirmed");
    const text = plain(more[entry] ?? "");
    entry += 1;
    for (const word of [line.transaction_id, `block ${line.block}`, line.tx_hash, line.wallet_id])
      if (!text.includes(word)) say("what is not confirmed");
  }
  const { digest } = signed.at(-1) ?? {};
  if (page.split(digest).length < 3 || !page.trimEnd().endsWith("</html>"))
    say("the digest or the end");
  const shown = page
    .split("\n")
    .filter((row) => /^(<tbody>)?<tr><td>(<bdi>|every)/.test(row) && !row.includes("chain id"));
  const told = signed
    .filter(({ line }) => line === "total")
    .flatMap((line) => [
      line.opening,
      ...Object.values(line.by_type),
      line.closing,
      ...(line.closing_watched === line.closing ? [] : [line.closing_watched]),
    ]);
  if (shown.map((row) => plain(row.split("<td>").at(-1) ?? "")).join() !== told.join())
    say("the totals");
}

/** @param {Buffer} bytes @param {any[]} signed @param {(what: string) => void} say */
async function readParquet(bytes, signed, say) {
  const rows = await readRows(bytes);
  const entries = signed.filter(({ line }) => line === "entry");
  if (rows.length !== entries.length) say("rows");
  const shown = (/** @type {any} */ row) =>
    Object.fromEntries(
      Object.entries(row).map(([name, value]) => [
        name,
        value instanceof Date ? value.toISOString() : value,
      ]),
    );
  for (const [place, row] of rows.entries())
    if (fieldsOf({ ...shown(row), line: "entry" }) !== fieldsOf(entries[place]))
      say(`row ${place}`);
  /** @type {Map<string, bigint>} */
  const sums = new Map();
  const add = (/** @type {any} */ of, /** @type {bigint} */ amount) => {
    const key = `${of.blockchain}/${of.asset}/${of.wallet_id}`;
    sums.set(key, (sums.get(key) ?? 0n) + amount);
  };
  for (const line of signed)
    if (line.line === "opening") add(line, BigInt(line.amount_atomic));
    else if (line.line === "closing") add(line, -BigInt(line.amount_atomic));
  for (const row of rows) add(row, BigInt(row.amount_atomic));
  if ([...sums.values()].some((sum) => sum !== 0n)) say("the sums");
}

/** What is wrong with a file. JSON Lines stand alone; every other format is also held against them. */
async function wrongIn(
  /** @type {string} */ format,
  /** @type {Buffer} */ bytes,
  /** @type {any[]} */ signed,
) {
  /** @type {string[]} */
  const wrong = [];
  const say = (/** @type {string} */ what) => void wrong.push(what);
  try {
    const text = bytes.toString();
    if (format === "jsonl") {
      addUp(jsonLines(text), say);
      const covered = text.slice(0, text.lastIndexOf("\n", text.length - 2) + 1);
      const digest = createHash("sha256").update(covered).digest("hex");
      if (jsonLines(text).at(-1)?.digest !== digest || !text.endsWith("\n")) say("the digest");
    } else if (format === "csv") {
      const lines = csvLines(text);
      addUp(lines, say);
      if (lines.map(fieldsOf).join("\n") !== signed.map(fieldsOf).join("\n")) say("a field");
    } else if (format === "html") readPage(text, signed, say);
    else await readParquet(bytes, signed, say);
  } catch (error) {
    say(`unreadable: ${error}`);
  }
  return wrong;
}

/** Whether a reader finds the same rows in both files of Parquet. */
async function readsTheSame(/** @type {Buffer} */ one, /** @type {Buffer} */ other) {
  const textOf = async (/** @type {Buffer} */ bytes) =>
    JSON.stringify(await readRows(bytes), (_, value) =>
      typeof value === "bigint" ? String(value) : value,
    );
  return (await textOf(one)) === (await textOf(other).catch(() => "unreadable"));
}

/** A line, digit by digit: the digit at this place of all digits of amounts, balances and names becomes another one. */
async function planted(
  /** @type {string} */ format,
  /** @type {Buffer} */ bytes,
  /** @type {number} */ number,
) {
  if (format === "parquet") {
    // Of the pages, which the footer follows. Some bytes, such as a page's size, are read by nobody.
    const footer = bytes.length - 8 - bytes.readUInt32LE(bytes.length - 8);
    for (let at = 4 + Math.floor((footer - 4) * (number / 20)); at < footer; at += 1) {
      const changed = Buffer.from(bytes);
      changed[at] = (changed[at] ?? 0) ^ 4;
      if (!(await readsTheSame(bytes, changed))) return changed;
    }
    return bytes;
  }
  const lines = bytes.toString().split("\n");
  const isOf = (/** @type {string} */ line) =>
    format === "html"
      ? /^<tbody( class="balance")?><tr><td|^<tr><td/.test(line) && line.includes("<i>")
      : /"line":"(entry|opening|closing|total|count)"|^(entry|opening|closing|total|count),/.test(
          line,
        );
  const places = [...lines.keys()].filter((place) => isOf(lines[place] ?? ""));
  const place = places[Math.floor((places.length * (number % 10)) / 10)] ?? 0;
  const line = lines[place] ?? "";
  if (number === 10) return Buffer.from(lines.toSpliced(place, 1).join("\n"));
  if (number === 11) return Buffer.from(lines.toSpliced(place, 0, line).join("\n"));
  if (number === 12) return Buffer.from(lines.slice(0, -3).join("\n"));
  const pattern =
    format === "jsonl"
      ? /("amount_atomic":"-?|"balance":"-?|"(?:opening|closing)":"-?|"holdings":)(\d)/
      : format === "csv"
        ? /((?:amount_atomic|opening|holdings)""?:""?-?)(\d)/
        : /(<i>)(\d)/;
  const digits =
    number < 10 ? pattern : format === "html" ? /^(.*<i>.*?)(\d)(?=\d*<\/i>)/ : /^(.*)(\d)/;
  const changed = line.replace(
    digits,
    (_, before, digit) => `${before}${(Number(digit) + 1 + (number % 8)) % 10}`,
  );
  return Buffer.from(lines.with(place, changed).join("\n"));
}

const formats = ["jsonl", "csv", "html", "parquet"];
const counts = Object.fromEntries(
  formats.map((format) => [format, { files: 0, wrong: 0, planted: 0, found: 0 }]),
);
let entries = 0;
let failures = 0;
const say = (/** @type {string} */ text) => void process.stdout.write(`${text}\n`);
for (const name of readdirSync(folder).sort()) {
  if (!existsSync(join(folder, name, "journal.json"))) continue;
  for (const part of ["whole", "before", "after"]) {
    const signed = jsonLines(readFileSync(join(folder, name, `${part}.jsonl`), "utf8"));
    const own = signed.filter(({ line }) => line === "entry").length;
    entries += own;
    for (const format of formats) {
      const bytes = readFileSync(join(folder, name, `${part}.${format}`));
      const count = counts[format];
      if (count === undefined) continue;
      count.files += 1;
      const wrong = await wrongIn(format, bytes, signed);
      if (wrong.length > 0) {
        count.wrong += 1;
        failures += 1;
        say(`${name} ${part}.${format}: ${[...new Set(wrong)].join(", ")}`);
      }
      if (!isPlanted || part !== "whole" || own < 20) continue;
      for (let number = 0; number < 20; number += 1) {
        const changed = await planted(format, bytes, number);
        if (changed.equals(bytes)) continue;
        count.planted += 1;
        if ((await wrongIn(format, changed, signed)).length > 0) count.found += 1;
        else say(`${name} ${part}.${format}: change ${number} is not found`);
      }
    }
  }
  const whole = jsonLines(readFileSync(join(folder, name, "whole.jsonl"), "utf8"));
  const closings = new Map(
    whole
      .filter(({ line }) => line === "closing")
      .map((line) => [`${line.wallet_id}/${line.asset}`, line.amount_atomic]),
  );
  for (const { wallet_id, asset, amount } of JSON.parse(
    readFileSync(join(folder, name, "journal.json"), "utf8"),
  ))
    if ((closings.get(`${wallet_id}/${asset}`) ?? "0") !== amount) {
      failures += 1;
      say(
        `${name}: ${asset} of ${wallet_id} is ${amount} in the journal, and ${closings.get(`${wallet_id}/${asset}`)} stated`,
      );
    }
}
say(`${entries} entries`);
for (const [format, { files, wrong, planted: put, found }] of Object.entries(counts)) {
  say(`${format}: ${files} files, ${wrong} wrong, ${found} of ${put} planted changes found`);
  if (found !== put) failures += 1;
}
await endReader();
process.exitCode = failures === 0 ? 0 : 1;
