import { expect, test } from "vitest";
import { eachTestApi } from "../../support/api/each-api.ts";
import {
  fileOf,
  type Planted,
  plantCredits,
  plantings,
} from "../../support/credits/planted-credits.ts";
import { plantWallets, writePlanted } from "../../support/credits/write-planted.ts";
import { insertBusiness } from "../../support/ledger/ledger-fixtures.ts";

const api = eachTestApi();

const mediaTypes = { csv: "text/csv", jsonl: "application/x-ndjson" } as const;

async function send(planted: Planted, format: "csv" | "jsonl") {
  const period = `from=${planted.from.toISOString()}&to=${planted.to.toISOString()}`;
  const answer = await api.web.inject({
    method: "POST",
    url: `/reconciliations?${period}`,
    headers: { "x-api-key": api.key, "content-type": mediaTypes[format] },
    payload: fileOf(planted, format),
  });
  expect(answer.statusCode, answer.body.slice(0, 500)).toBe(201);
  return answer.json().data;
}

type Line = { line: number | null; verdict: string; cause: string | null; transaction_id: string };

/** Every answered line of a run, page by page. */
async function linesOf(id: string): Promise<Line[]> {
  const lines: Line[] = [];
  for (let cursor: string | null = ""; cursor !== null; ) {
    const next = cursor === "" ? "" : `&cursor=${cursor}`;
    const page: { data: Line[]; next_cursor: string | null } = (
      await api.get(`/reconciliations/${id}?limit=500${next}`)
    ).json();
    lines.push(...page.data);
    cursor = page.next_cursor;
  }
  return lines;
}

/** Everything of the ledger that a run could change. */
async function ledgerText(): Promise<unknown> {
  return api.db.$queryRaw`
    SELECT (SELECT md5(string_agg(t::text, '' ORDER BY t.id)) FROM transaction t) AS transactions,
      (SELECT md5(string_agg(b::text, '' ORDER BY b.wallet_id, b.asset_id)) FROM balance b) AS balances,
      (SELECT count(*) FROM ledger_entry) AS entries, (SELECT count(*) FROM notification) AS notifications`;
}

const told = (lines: readonly Line[]) =>
  lines.map(({ line, verdict, cause }) => `${line} ${verdict} ${cause}`).sort();

test("10,000 credits with mistakes of twenty kinds: each is named, and none is invented", async () => {
  const wallets = await plantWallets(api.db, api.businessId, 40);
  const planted = plantCredits(wallets, { seed: 20_261_126, credits: 10_000 });
  await writePlanted(api.db, api.businessId, planted.transactions);
  // Another business has received the same, and none of it is anybody else's.
  const stranger = await insertBusiness(api.db, "Others Ltd");
  const theirs = plantCredits(await plantWallets(api.db, stranger, 3), { seed: 1, credits: 50 });
  await writePlanted(api.db, stranger, theirs.transactions);
  const kinds = new Set(planted.lines.map(({ expected }) => JSON.stringify(expected)));
  expect(kinds.size + new Set(planted.uncredited.values()).size).toBe(
    // A match, and the three of money that nobody credited.
    1 + Object.keys(plantings).length,
  );
  const before = await ledgerText();
  for (const format of ["csv", "jsonl"] as const) {
    const run = await send(planted, format);
    const firstLine = format === "csv" ? 2 : 1;
    const lines = await linesOf(run.id);
    const expected = planted.lines.map(
      ({ expected: { verdict, cause } }, index) => `${index + firstLine} ${verdict} ${cause}`,
    );
    expect(told(lines.filter(({ line }) => line !== null))).toEqual(expected.sort());
    const found = lines.filter(({ line }) => line === null);
    expect(new Map(found.map((one) => [one.transaction_id, one.cause]))).toEqual(
      planted.uncredited,
    );
    expect(found).toHaveLength(planted.uncredited.size);
    expect(run).toMatchObject({ credits: planted.lines.length, format });
    const total = Object.values<number>(run.counts).reduce((sum, count) => sum + count, 0);
    expect(total).toBe(planted.lines.length + planted.uncredited.size);
  }
  expect(await ledgerText()).toEqual(before);
});
