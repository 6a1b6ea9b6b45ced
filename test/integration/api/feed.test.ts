import { expect, test } from "vitest";
import { eachTestApi } from "../../support/api/each-api.ts";
import { insertBusiness, newWallet, testChain } from "../../support/ledger/ledger-fixtures.ts";
import { addWallets, configureChains } from "../../support/ledger/steps.ts";
import { writtenChain } from "../../support/ledger/written-chain.ts";

const api = eachTestApi();

async function walletOf(businessId: string, chainName: string) {
  const wallet = newWallet({ chainName });
  const [added] = await addWallets(api.db, { businessId, wallets: [wallet] });
  return { businessId, walletId: added?.id ?? "", address: wallet.address };
}

async function chainOf(name: string, chainId: number) {
  await configureChains(api.db, [{ ...testChain, name, chainId }], "removed");
  return writtenChain(api.db, name);
}

async function feed(query = "") {
  const answer = await api.get(`/notifications/feed?${query}`);
  const lines = answer.body.split("\n").filter((line) => line !== "");
  const cursor = String(answer.headers["chainbell-cursor"]);
  return { status: answer.statusCode, type: answer.headers["content-type"], cursor, lines };
}

const stored = async (businessId: string, chainName: string) =>
  (
    await api.db.$queryRaw<{ body: string }[]>`
      SELECT body FROM notification WHERE business_id = ${businessId}::uuid AND chain_name = ${chainName}
      ORDER BY sequence`
  ).map(({ body }) => body);

test("the feed gives each stream's bodies byte for byte in order, and nobody else's", async () => {
  const { businessId } = api;
  const [one, two] = [await chainOf("one", 901), await chainOf("two", 902)];
  const mine = { one: await walletOf(businessId, "one"), two: await walletOf(businessId, "two") };
  const others = await walletOf(await insertBusiness(api.db, "Others Ltd"), "one");
  const empty = await feed();
  expect(empty).toMatchObject({
    status: 200,
    lines: [],
    type: "application/x-ndjson; charset=utf-8",
  });
  for (let block = 0; block < 5; block += 1) {
    await one.commit([mine.one, others, mine.one]);
    await two.commit([mine.two]);
  }
  const expected = { one: await stored(businessId, "one"), two: await stored(businessId, "two") };
  expect([expected.one.length, expected.two.length]).toEqual([6, 3]);
  const found: string[] = [];
  let cursor = empty.cursor;
  for (;;) {
    const page = await feed(`after=${cursor}&limit=2`);
    if (page.cursor === cursor) break;
    found.push(...page.lines);
    cursor = page.cursor;
  }
  const of = (name: string) => found.filter((line) => JSON.parse(line).data.blockchain === name);
  expect(of("one")).toEqual(expected.one);
  expect(of("two")).toEqual(expected.two);
  expect(found.length).toBe(9);
  expect((await feed("blockchain=two")).lines).toEqual(expected.two);
  expect((await feed(`wallet_id=${mine.two.walletId}`)).lines).toEqual(expected.two);
  const none = await feed("event=transaction.reversed");
  expect([none.lines, none.cursor]).toEqual([[], cursor]);
  expect((await feed("after=nonsense")).status).toBe(400);
});

test("a cursor that the database does not have is refused with the one to go on from, and so is an expired one", async () => {
  const { businessId, db } = api;
  const chain = await chainOf("one", 901);
  const wallet = await walletOf(businessId, "one");
  for (let block = 0; block < 6; block += 1) await chain.commit([wallet]);
  const first = await feed("limit=2");
  const all = await feed();
  expect(all.lines.length).toBe(4);
  // As after a restore to before the last one, which then was another.
  await db.$executeRaw`UPDATE notification SET digest = decode(repeat('ab', 16), 'hex') WHERE sequence = 4`;
  const unknown = await feed(`after=${all.cursor}`);
  expect(unknown.status).toBe(409);
  expect((await feed(`after=${unknown.cursor}`)).lines.length).toBe(4);
  await db.$executeRaw`
    INSERT INTO pruned_stream SELECT business_id, chain_name, sequence, digest FROM notification WHERE sequence = 3`;
  const expired = await feed(`after=${first.cursor}`);
  expect(expired.status).toBe(410);
  const rest = await feed(`after=${expired.cursor}`);
  expect(rest.lines.map((line) => JSON.parse(line).sequence)).toEqual([4]);
});
