import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { checkLedger } from "../../../../src/ledger/evidence/check-ledger.ts";
import { pruneNotifications } from "../../../../src/ledger/notifications/prune-notifications.ts";
import {
  insertBusiness,
  newWallet,
  openTestLedger,
  type TestLedger,
  testChain,
} from "../../../support/ledger/ledger-fixtures.ts";
import { addWallets, setBusiness } from "../../../support/ledger/steps.ts";
import { writtenChain } from "../../../support/ledger/written-chain.ts";

const chainNames = ["ethereum", "base"];
let ledger: TestLedger;

beforeEach(async () => {
  const chains = chainNames.map((name, index) => ({ ...testChain, name, chainId: index + 1 }));
  ledger = await openTestLedger({ chains });
});

afterEach(() => ledger.stop());

/** A business that asks for pending transactions, with a wallet on each chain. */
async function addBusiness(name: string) {
  const { db } = ledger;
  const businessId = await insertBusiness(db, name);
  await setBusiness(db, businessId, { notifyPending: true });
  const wallets = chainNames.map((chainName) => newWallet({ chainName }));
  const added = await addWallets(db, { businessId, wallets });
  return wallets.map(({ address, chainName }) => {
    const walletId = added.find((wallet) => wallet.chainName === chainName)?.id ?? "";
    return { chainName, businessId, walletId, address };
  });
}

type Numbered = { businessId: string; chainName: string; sequence: bigint; body: string };

/** Every stream's numbers, in order, once as stored and once as the bodies say. */
async function streams(): Promise<Map<string, { stored: number[]; said: number[] }>> {
  const rows = await ledger.db.$queryRaw<Numbered[]>`
    SELECT business_id AS "businessId", chain_name AS "chainName", sequence, body FROM notification
    ORDER BY sequence`;
  const found = new Map<string, { stored: number[]; said: number[] }>();
  for (const { businessId, chainName, sequence, body } of rows) {
    const key = `${businessId} ${chainName}`;
    const { stored, said } = found.get(key) ?? { stored: [], said: [] };
    const { sequence: inBody } = JSON.parse(body) as { sequence: number };
    found.set(key, { stored: [...stored, Number(sequence)], said: [...said, inBody] });
  }
  return found;
}

const upTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1);
const findings = async () => (await checkLedger(ledger.db)).findings;
const brokenStreams = async () => (await findings()).filter(({ kind }) => kind === "stream");

const act = fc.oneof(
  { weight: 5, arbitrary: fc.record({ deposits: fc.array(fc.nat(1), { maxLength: 4 }) }) },
  { weight: 1, arbitrary: fc.record({ undo: fc.integer({ min: 1, max: 5 }) }) },
);

describe("the notifications of a business and chain", () => {
  it("are numbered from 1 without a gap, whatever reorgs take away and however chains interleave", async () => {
    const businesses = [await addBusiness("One Ltd"), await addBusiness("Two Ltd")];
    const chains = await Promise.all(chainNames.map((name) => writtenChain(ledger.db, name)));
    const course = fc.array(act, { minLength: 10, maxLength: 20 });
    await fc.assert(
      fc.asyncProperty(course, course, async (...courses) => {
        const run = async (chain: (typeof chains)[number], acts: (typeof courses)[number]) => {
          const deposit = (of: number) =>
            businesses[of]?.filter(({ chainName }) => chainName === chain.chainName) ?? [];
          for (const one of acts) {
            if ("undo" in one) await chain.undo(one.undo);
            else await chain.commit(one.deposits.flatMap(deposit));
          }
        };
        await Promise.all(chains.map((chain, index) => run(chain, courses[index] ?? courses[0])));
        for (const { stored, said } of (await streams()).values()) {
          expect(stored).toEqual(upTo(stored.length));
          expect(said).toEqual(stored);
        }
      }),
      { numRuns: 8 },
    );
    const states = await ledger.db
      .$queryRaw`SELECT DISTINCT state FROM notification ORDER BY state`;
    const all = ["confirmed", "dropped", "pending", "reversed"];
    expect(states).toEqual(all.map((state) => ({ state })));
    expect((await streams()).size).toBe(4);
    expect(await brokenStreams()).toEqual([]);
  });

  it("keep their numbers where a commit is repeated or given up", async () => {
    const [to] = await addBusiness("One Ltd");
    if (to === undefined) throw new Error("a business has wallets");
    const [chain, other] = await Promise.all([
      writtenChain(ledger.db, "ethereum"),
      writtenChain(ledger.db, "ethereum"),
    ]);
    await chain.commit([to, to]);
    expect(await other.commit([to])).toEqual({ kind: "position_moved" });
    await chain.commit([to]);
    await chain.undo(2);
    // The same blocks as another branch: every deposit is gone, and others take their place.
    await chain.commit([to]);
    await chain.commit([]);
    await chain.commit([]);
    const [stream] = (await streams()).values();
    expect(stream?.stored).toEqual(upTo(stream?.stored.length ?? 0));
    expect(stream?.stored.length).toBe(8);
  });

  it("are found to be broken where one of them is gone or has another place", async () => {
    const [to] = await addBusiness("One Ltd");
    if (to === undefined) throw new Error("a business has wallets");
    const chain = await writtenChain(ledger.db, "ethereum");
    for (let block = 0; block < 4; block += 1) await chain.commit([to]);
    expect(await brokenStreams()).toEqual([]);
    const { businessId, chainName } = to;
    const stream = { kind: "stream", businessId, chainName };
    const { db } = ledger;
    await db.$executeRaw`UPDATE notification SET digest = decode(repeat('00', 16), 'hex') WHERE sequence = 4`;
    expect(await brokenStreams()).toEqual([{ ...stream, sequence: 4n }]);
    await db.$executeRaw`DELETE FROM delivery USING notification n WHERE n.id = notification_id AND sequence = 2`;
    await db.$executeRaw`DELETE FROM notification WHERE sequence = 2`;
    expect(await brokenStreams()).toEqual([{ ...stream, sequence: 3n }]);
    await db.$executeRaw`UPDATE notification SET body = replace(body, '"sequence":1,', '"sequence":7,')`;
    expect((await findings()).map(({ kind }) => kind)).toContain("notification");
  });

  it("go on with the number after the newest, which retention never removes", async () => {
    const [to] = await addBusiness("One Ltd");
    if (to === undefined) throw new Error("a business has wallets");
    const { db } = ledger;
    const chain = await writtenChain(db, "ethereum");
    for (let block = 0; block < 3; block += 1) await chain.commit([to]);
    await db.$executeRaw`UPDATE delivery SET status = 'delivered', delivered_at = now()`;
    await db.$executeRaw`UPDATE notification SET created_at = now() - interval '9 years'`;
    const old = { olderThanMs: 1_000, limit: 2 };
    const removed = [await pruneNotifications(db, old), await pruneNotifications(db, old)];
    expect(removed).toEqual([2, 1]);
    expect(await pruneNotifications(db, old)).toBe(0);
    await chain.commit([to]);
    const [stream] = (await streams()).values();
    expect(stream?.stored).toEqual([4, 5, 6]);
    expect(await brokenStreams()).toEqual([]);
    const marks = await db.$queryRaw`SELECT chain_name, sequence FROM pruned_stream`;
    expect(marks).toEqual([{ chain_name: "ethereum", sequence: 3n }]);
  });
});
