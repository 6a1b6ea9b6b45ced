import { expect, test } from "vitest";
import type { StatementLine } from "../../../../src/domain/evidence/statement-lines.ts";
import { StatementPage } from "../../../../src/domain/evidence/statement-page.ts";
import { cssText, grouped } from "../../../../src/domain/evidence/statement-page-text.ts";

const hostile = [
  `</bdi></style><script>alert(1)</script>`,
  `" onload="alert(1)`,
  "' onclick='alert(1)",
  "=HYPERLINK(&quot;x&quot;)",
  "\u202Eright to left",
  "שלום",
  "a\u2028b",
];

const longest = `${"9".repeat(60)}.${"1".repeat(18)}`;

const signed = { digest: "ab".repeat(32), signature: { keyId: "0123456789abcdef", value: "c2ln" } };

const end = {
  block: 7,
  block_hash: null,
  block_time: null,
  seal: 3,
  seal_hash: "cd".repeat(32),
  final: false,
};

function linesOf(text: string): StatementLine[] {
  const holding = {
    blockchain: text,
    wallet_id: "01a20098-39e4-7000-8000-02911919b011",
    address: "0x9965507D1a55bcC2695C58ba16FB37d819B0A4dc",
    label: text,
    reference: text,
    asset: text,
    decimals: 18,
  };
  const balance = {
    ...holding,
    asset_address: "native" as const,
    amount: longest,
    amount_atomic: longest.replace(".", ""),
    opening_known: false,
    wallet_added_at: "2026-10-02T00:00:00.000Z",
    wallet_ended_at: null,
  };
  return [
    {
      line: "statement",
      statement: 2,
      id: "01a20098-39e4-7000-8000-02911919b012",
      made_at: "2026-11-01T00:00:00.000Z",
      business_id: "01a20098-39e4-7000-8000-02911919b013",
      business_name: text,
      business_legal_name: text,
      business_address: `${text}\n${text}`,
      from: "2026-09-30T22:00:00.000Z",
      to: "2026-10-31T23:00:00.000Z",
      time_zone: "Europe/Zurich",
      from_local: "2026-10-01 00:00:00 GMT+02:00",
      to_local: "2026-11-01 00:00:00 GMT+01:00",
      filter: {
        blockchain: null,
        asset: null,
        wallet_id: null,
        label: text,
        reference_prefix: text,
      },
    },
    {
      line: "chain",
      blockchain: text,
      chain_id: 1,
      opening: { ...end, block: null },
      closing: end,
    },
    { line: "opening", ...balance },
    {
      line: "entry",
      ...holding,
      entry_id: "17",
      kind: "reversal",
      type: "deposit",
      prior_period: true,
      amount: `-${longest}`,
      amount_atomic: `-${longest.replace(".", "")}`,
      balance: "0",
      usd_value: null,
      time: "2026-10-25T00:30:00.000Z",
      recorded_at: "2026-10-25T00:30:01.000Z",
      block: 6,
      block_hash: null,
      tx_hash: `0x${"ef".repeat(32)}`,
      transaction_id: null,
      from: text,
      to: text,
      memo: text,
      price_as_of: "2026-10-25T00:30:00.000Z",
      price_source: "http",
      since_block: 5,
      state: "completed",
    },
    { line: "closing", ...balance },
    {
      line: "total",
      blockchain: null,
      asset: text,
      decimals: 18,
      opening: longest,
      closing: "0",
      entries: 1,
      by_type: { deposit: `-${longest}` },
    },
    { line: "count", holdings: 1, entries: 1, unpriced: 0 },
    {
      line: "end",
      digest: signed.digest,
      signature: { key_id: "k", algorithm: "ed25519", value: "v" },
    },
  ];
}

function pageOf(text: string): string {
  const page = new StatementPage(signed);
  return linesOf(text)
    .map((line) => page.add(line))
    .join("");
}

test.each(hostile)("a stranger's text is a text in the page: %s", (text) => {
  const plain = pageOf("harmless");
  const page = pageOf(text);
  const tagsIn = (html: string) => html.replace(/<style>[\s\S]*?<\/style>/, "").match(/<[^>]*>/g);
  // Not one element or attribute more or less than with a harmless text.
  expect(tagsIn(page)).toEqual(tagsIn(plain));
  expect(page.match(/<\/?style>/g)).toHaveLength(2);
  expect(page.match(/<bdi>/g)?.length).toBeGreaterThan(10);
  expect(page).not.toMatch(/<script|<[^>]* on\w+=/);
});

test("the head of a table, which each sheet repeats, names the asset and its wallet", () => {
  const [, head = ""] =
    /<table class="entries">.*?<thead>(.*?)<\/thead>/.exec(pageOf("named")) ?? [];
  const [first = ""] = head.split("</tr>");
  expect(first.replaceAll(/<[^>]*>/g, "")).toBe(
    "named · named · 0x9965507D1a55bcC2695C58ba16FB37d819B0A4dc",
  );
});

test("a wallet's first balance is told from the balance at the opening", () => {
  const page = new StatementPage(signed);
  const html = linesOf("harmless")
    .map((line) => {
      if (line.line === "entry") return { ...line, type: "opening" };
      return line.line === "total" ? { ...line, by_type: { opening: longest } } : line;
    })
    .map((line) => page.add(line))
    .join("");
  const rows = [...html.matchAll(/<tr><td>every chain<\/td><td>.*?<\/td><td>(.*?)<\/td>/g)];
  const first = "opening <small>first balance</small>";
  expect(rows.map(([, of]) => of)).toEqual([
    "balance at the opening",
    first,
    "balance at the closing, 1 entry",
  ]);
  expect(html).toContain(`<td>${first} <small>reversal`);
});

test("a total says what of its closing is in wallets that are watched", () => {
  const words = "of it in wallets watched at the end";
  const pageWith = (watched: string) => {
    const page = new StatementPage(signed);
    return linesOf("harmless")
      .map((line) => (line.line === "total" ? { ...line, closing_watched: watched } : line))
      .map((line) => page.add(line))
      .join("");
  };
  expect(pageWith("7")).toContain(words);
  expect(pageWith("0")).not.toContain(words);
});

test("the page says what is not certain, and the time of its zone", () => {
  const page = pageOf("harmless");
  expect(page).toContain("nothing was recorded before");
  expect(page).toContain("block 7<br>hash of the block unknown");
  expect(page).toContain("the moment is not confirmed yet");
  expect(page).toContain("what it held at first is not known yet");
  expect(page).toContain("reversal, prior period");
  // The clocks show this hour twice; the offset says which one it is.
  expect(page).toContain("2026-10-25 02:30:00 GMT+02:00");
  expect(page).toContain(signed.digest);
  expect(page).toContain("counter(page)");
});

test.each([
  ["0", ["0"]],
  ["-1.5", ["-1.", "5"]],
  ["1234567.8901", ["1", "234", "567.", "890", "1"]],
  ["123", ["123"]],
  [longest, expect.arrayContaining(["999."])],
])("an amount breaks between its groups alone, and is copied as it is: %s", (amount, groups) => {
  const html = grouped(amount);
  expect(html.split("<wbr>").map((one) => one.replaceAll(/<[^>]*>/g, ""))).toEqual(groups);
  expect(html.replaceAll(/<[^>]*>/g, "")).toBe(amount);
});

test("a text within the style ends no string and no element", () => {
  for (const text of [...hostile, '"\\', "\n"])
    expect(cssText(text)).toMatch(/^"([A-Za-z0-9]|\\[0-9a-f]+ )*"$/);
});
