import { localClock } from "./local-clock.ts";
import type { StatementLine } from "./statement-lines.ts";
import { cssText, escaped, grouped, isolated, pageStyle } from "./statement-page-text.ts";

/** The digest and signature of a statement, for its head. */
export type SignedBy = { digest: string; signature: { keyId: string; value: string } };

type LineOf<Name extends StatementLine["line"]> = Extract<StatementLine, { line: Name }>;

type BalanceLine = LineOf<"opening" | "closing">;

/** The form of a statement. A page of form 1 stays as it was, byte for byte. */
type Form = LineOf<"statement">["statement"];

/** The part of the page that is open. It is closed when another one begins. */
type Part = "none" | "chains" | "holding" | "totals" | "unconfirmed";

/**
 * A statement as one printable HTML page, without scripts or other files, with system fonts. Takes
 * line by line, in constant memory. The same lines give the same page.
 */
export class StatementPage {
  readonly #signed: SignedBy;
  #form: Form = 2;
  #part: Part = "none";
  #clock: (moment: Date) => string = localClock("UTC");

  constructor(signed: SignedBy) {
    this.#signed = signed;
  }

  /** The text of one line. Call it in the order of the statement. */
  add(line: StatementLine): string {
    switch (line.line) {
      case "statement":
        this.#form = line.statement;
        this.#clock = localClock(line.time_zone);
        return headOf(line, this.#signed);
      case "chain":
        return this.#into("chains") + chainOf(line);
      case "opening":
        return (
          this.#into("none") +
          this.#into("holding", holdingHead(line, this.#form)) +
          balanceOf(line)
        );
      case "entry":
        return this.#entryOf(line);
      case "closing":
        return balanceOf(line);
      case "total":
        return this.#into("totals") + totalOf(line, this.#form);
      case "unconfirmed":
        return this.#into("unconfirmed") + unconfirmedOf(line, this.#clock);
      case "count":
        return this.#into("none") + countOf(line);
      case "end":
        return endOf(this.#signed);
    }
  }

  /** Closes the open part and opens another one, unless that part is open already. */
  #into(part: Part, opening: string = openings[part]): string {
    if (this.#part === part) return "";
    const closing = this.#part === "none" ? "" : "</table></section>\n";
    this.#part = part;
    return `${closing}${opening}`;
  }

  #entryOf(line: LineOf<"entry">): string {
    const isMoved = line.transaction_id !== null && line.time === null;
    const time = isMoved ? "unknown" : this.#clock(new Date(line.time ?? line.recorded_at));
    const notes = [
      ...(line.kind === "reversal" ? ["reversal"] : []),
      ...(line.kind === "confirmation" && (line.state ?? "completed") !== "completed"
        ? [`${line.state} since`]
        : []),
      ...(line.prior_period ? ["prior period"] : []),
      ...(isMoved ? ["hash and time of the block unknown"] : []),
    ];
    const noted = notes.length === 0 ? "" : ` <small>${notes.join(", ")}</small>`;
    const value = line.usd_value === null ? "" : grouped(line.usd_value);
    const parties =
      line.from === null || line.to === null
        ? ""
        : ` ${isolated(line.from)} → ${isolated(line.to)}`;
    const hash = line.tx_hash === null ? "" : ` ${isolated(line.tx_hash)}`;
    const memo = line.memo === null ? "" : ` memo ${isolated(line.memo)}`;
    return (
      `<tbody><tr><td>${escaped(time)}</td><td>${typed(line.type, this.#form)}${noted}</td>` +
      `<td>${grouped(line.amount)}</td><td>${grouped(line.balance)}</td><td>${value}</td></tr>\n` +
      `<tr><td colspan="5">entry ${escaped(line.entry_id)}, block ${line.block}${sinceOf(line)}${hash}${parties}${memo}${priceOf(line)}</td></tr></tbody>\n`
    );
  }
}

/** Words for the block above which an adjustment counts. */
function sinceOf({ since_block }: LineOf<"entry">): string {
  return (since_block ?? null) === null ? "" : `, of what moved above block ${since_block}`;
}

function priceOf({ price_source, price_as_of }: LineOf<"entry">): string {
  if ((price_source ?? null) === null) return "";
  return ` price ${escaped(price_source ?? "")} of ${escaped(price_as_of ?? "")}`;
}

const openings: Readonly<Record<Part, string>> = {
  none: "",
  chains:
    '<section><h2>Ends of the period</h2><table class="ends"><thead><tr><th>Chain</th><th>Opening</th><th>Closing</th></tr></thead>\n',
  holding: "",
  totals:
    '<section><h2>Totals</h2><table class="totals"><thead><tr><th>Chain</th><th>Asset</th><th>Of</th><th>Amount</th></tr></thead>\n',
  unconfirmed:
    "<section><h2>Not confirmed at the closing</h2><p>These transactions are in blocks before the end of the period, and not in the journal up to the closing. No balance and no total of this statement has them. Each that is confirmed is an entry of a later statement.</p>" +
    '<table class="entries"><thead><tr><th>Time</th><th>Type</th><th>Amount</th><th>Asset</th><th>Waits for</th></tr></thead>\n',
};

/** The title of a statement's page. */
export function titleOf({ id }: { id: string }): string {
  return `Statement ${id}`;
}

function headOf(line: LineOf<"statement">, { digest, signature }: SignedBy): string {
  const name = line.business_legal_name ?? line.business_name;
  const address = (line.business_address ?? "").split("\n").filter((one) => one !== "");
  const filter = Object.entries(line.filter).filter(([, value]) => value !== null);
  const rows: [string, string][] = [
    ["Period", `from ${escaped(line.from_local)} up to ${escaped(line.to_local)}`],
    ["Time zone", escaped(line.time_zone)],
    ["In UTC", `from ${escaped(line.from)} up to ${escaped(line.to)}`],
    ...filter.map(([key, value]): [string, string] => [
      `Only ${key.replace("_", " ")}`,
      isolated(value ?? ""),
    ]),
    ["Made", escaped(line.made_at)],
    ["Statement", escaped(line.id)],
    ["Business", `${isolated(line.business_name)}, ${escaped(line.business_id)}`],
    ["SHA-256", escaped(digest)],
    ["Signature", `${escaped(signature.value)} (ed25519, key ${escaped(signature.keyId)})`],
  ];
  const running = { name: cssText(name), id: cssText(line.id), digest: cssText(digest) };
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width">
<title>${escaped(titleOf(line))}</title>
<style>
${pageStyle(running, line.statement)}</style>
</head>
<body>
<header>
<h1>Statement of account</h1>
<address>${[name, ...address].map(isolated).join("<br>")}</address>
<dl>
${rows.map(([term, text]) => `<dt>${term}</dt><dd>${text}</dd>\n`).join("")}</dl>
</header>
`;
}

/** A type of entries, with places to break the line between its words. */
function named(type: string): string {
  return escaped(type).replaceAll("_", "_<wbr>");
}

/** A type of entries in words. A wallet's first balance is not the opening of the period. */
function typed(type: string, form: Form): string {
  return type === "opening" && form !== 1
    ? `${named(type)} <small>first balance</small>`
    : named(type);
}

type End = LineOf<"chain">["opening"];

function chainOf({ blockchain, chain_id, opening, closing }: LineOf<"chain">): string {
  return `<tbody><tr><td>${isolated(blockchain)} <small>chain id ${chain_id}</small></td><td>${boundOf(opening)}</td><td>${boundOf(closing)}</td></tr></tbody>\n`;
}

/** An end in words. It names everything that makes the end less than certain. */
function boundOf({ block, block_hash, block_time, seal, seal_hash, final }: End): string {
  const parts = [
    block === null ? "nothing was recorded before" : `block ${block}`,
    block_hash === null ? (block === null ? "" : "hash of the block unknown") : block_hash,
    block_time ?? "",
    seal_hash === null ? "no seal" : `seal ${seal}, ${seal_hash}`,
    final ? "" : "<strong>the moment is not confirmed yet</strong>",
  ];
  return parts.filter((part) => part !== "").join("<br>");
}

/** The names of a holding. Of form 2 each sheet has the first of them, in the table's head. */
function holdingHead(line: BalanceLine, form: Form): string {
  const { blockchain, asset, asset_address, address, label, reference, wallet_id } = line;
  const { wallet_added_at: addedAt } = line;
  const place = [isolated(blockchain), isolated(address)];
  const more = [
    label === null ? "" : isolated(label),
    reference === null ? "" : `reference ${isolated(reference)}`,
    `wallet ${escaped(wallet_id)}`,
    `asset ${escaped(asset_address)}, ${line.decimals} decimals`,
    line.opening_known ? "" : "<strong>what it held at first is not known yet</strong>",
    addedAt === undefined ? "" : `watched since ${escaped(addedAt)}`,
    line.wallet_ended_at === null ? "" : `watched until ${escaped(line.wallet_ended_at)}`,
  ].filter((one) => one !== "");
  const repeated =
    form === 1
      ? ""
      : `<tr class="of"><th colspan="5">${[isolated(asset), ...place].join(" · ")}</th></tr>`;
  return (
    `<section><h2>${isolated(asset)}</h2><p>${[...(form === 1 ? place : []), ...more].join(" · ")}</p>` +
    `<table class="entries">${form === 1 ? "" : columns}<thead>${repeated}<tr><th>Time</th><th>Type</th><th>Amount</th><th>Balance</th><th>US dollars</th></tr></thead>\n`
  );
}

/** A head of one cell says no widths. */
const columns = "<colgroup><col><col><col><col><col></colgroup>";

function balanceOf({ line, amount }: BalanceLine): string {
  const name = line === "opening" ? "Opening" : "Closing";
  return `<tbody class="balance"><tr><td colspan="3">${name}</td><td>${grouped(amount)}</td><td></td></tr></tbody>\n`;
}

function totalOf(line: LineOf<"total">, form: Form): string {
  const chain = line.blockchain === null ? "every chain" : isolated(line.blockchain);
  const isOne = form !== 1 && line.entries === 1;
  const entries = `${line.entries} ${isOne ? "entry" : "entries"}`;
  const rows = [
    [form === 1 ? "opening" : "balance at the opening", line.opening],
    ...Object.entries(line.by_type).map(([type, amount]) => [typed(type, form), amount]),
    [`${form === 1 ? "" : "balance at the "}closing, ${entries}`, line.closing],
    ...(isOfEnded(line) ? [["of it in wallets watched at the end", line.closing_watched]] : []),
  ];
  const texts = rows.map(
    ([name = "", amount = ""]) =>
      `<tr><td>${chain}</td><td>${isolated(line.asset)}</td><td>${name}</td><td>${grouped(amount)}</td></tr>\n`,
  );
  return `<tbody>${texts.join("")}</tbody>\n`;
}

/** True if a part of the closing is in wallets that were watched no longer. */
function isOfEnded({ closing, closing_watched: watched = closing }: LineOf<"total">): boolean {
  return watched !== closing;
}

function unconfirmedOf(line: LineOf<"unconfirmed">, clock: (moment: Date) => string): string {
  const { label, reference, memo } = line;
  const wallet = [
    isolated(line.blockchain),
    isolated(line.address),
    ...(label === null ? [] : [isolated(label)]),
    ...(reference === null ? [] : [`reference ${isolated(reference)}`]),
    `wallet ${escaped(line.wallet_id)}`,
  ];
  return (
    `<tbody class="unconfirmed"><tr><td>${escaped(clock(new Date(line.time)))}</td><td>${named(line.type)}</td>` +
    `<td>${grouped(line.amount)}</td><td>${isolated(line.asset)}</td><td>${waits[line.waits_for ?? "nothing"]}</td></tr>\n` +
    `<tr><td colspan="5">transaction ${escaped(line.transaction_id)}, block ${line.block} ${isolated(line.tx_hash)} ` +
    `${isolated(line.from)} → ${isolated(line.to)}${memo === null ? "" : ` memo ${isolated(memo)}`} · ${wallet.join(" · ")}</td></tr></tbody>\n`
  );
}

const waits = {
  confirmation: "confirmation",
  proof: "proof",
  nothing: "nothing: confirmed after the closing",
} as const;

function countOf({ holdings, entries, unpriced, unconfirmed = 0 }: LineOf<"count">): string {
  const waiting = unconfirmed === 0 ? "" : ` Not confirmed at the closing: ${unconfirmed}.`;
  return `<p>Balances: ${holdings}. Entries: ${entries}, of which ${unpriced} without a value in US dollars.${waiting}</p>\n`;
}

function endOf({ digest }: SignedBy): string {
  return `<footer><p>This page shows the statement whose lines have the SHA-256 ${escaped(digest)}. What is signed is those lines, as JSON Lines. Verify the page against them: <code>verify-statement PAGE.html --against STATEMENT.jsonl --key KEY</code>.</p></footer>
</body>
</html>
`;
}
