import { beforeEach, describe, expect, it } from "vitest";
import { type Address, parseAddress } from "../../../../src/domain/chain/address.ts";
import { toChecksum } from "../../../../src/domain/chain/checksum.ts";
import type { MatchedTransaction } from "../../../../src/domain/money/matched-transaction.ts";
import { createBusinessLedger } from "../../../../src/ledger/business-ledger.ts";
import { Prisma } from "../../../../src/ledger/generated/client.ts";
import { lookalikeOf } from "../../../../src/ledger/transactions/lookalike.ts";
import { payer, wallet } from "../../../support/chain/cast.ts";
import { eachWatchedChain } from "../../../support/chain/each-chain.ts";
import { commitMatched } from "../../../support/ledger/commit-matched.ts";
import { newWallet } from "../../../support/ledger/ledger-fixtures.ts";

const supplier = parseAddress(`0xa1b2${"3".repeat(32)}c4d5`);
const poisoner = parseAddress(`0xa1b2${"9".repeat(32)}c4d5`);
const sameHead = parseAddress(`0xa1b2${"3".repeat(32)}c4d6`);
const likeSameHead = parseAddress(`0xa1b2${"8".repeat(32)}c4d6`);
const sameTail = parseAddress(`0xa1b3${"3".repeat(32)}c4d5`);

const { watched } = eachWatchedChain({ blocks: 2, depth: 1 });
let walletId: string;
let another: { walletId: string; address: string };

beforeEach(async () => {
  walletId = await watched.addWallet(wallet);
  const { address } = newWallet();
  another = { walletId: await watched.addWallet(address), address };
  await watched.catchUp();
});

const from = (fromAddress: Address): Partial<MatchedTransaction> => ({ fromAddress });
const paid = (toAddress: Address): Partial<MatchedTransaction> => ({
  type: "withdrawal",
  direction: "out",
  fromAddress: parseAddress(wallet),
  toAddress,
});

const commit = (...matched: Partial<MatchedTransaction>[]) =>
  commitMatched(watched, { walletId, address: wallet }, matched);

/** The deposits, oldest first: what each looks like in the list, and in its notification. */
async function deposits() {
  const { readTransactions, readTransaction } = createBusinessLedger(watched.db);
  const page = { limit: 50, afterId: null };
  const asked = { businessId: watched.businessId, page };
  const { rows } = await readTransactions({ ...asked, filter: { types: ["deposit", "payment"] } });
  const notifications = await watched.db.notification.findMany();
  const bodies = new Map(
    notifications.map(({ transactionId, body }) => [transactionId, JSON.parse(body).data]),
  );
  for (const { id: transactionId, lookalikeOf: listed } of rows) {
    const detail = await readTransaction({ businessId: watched.businessId, transactionId });
    expect(detail.lookalikeOf).toBe(listed);
    const said = bodies.get(transactionId)?.lookalikeOf ?? null;
    expect(said).toBe(listed === null ? null : toChecksum(listed));
  }
  return rows.map(({ lookalikeOf: listed }) => listed).reverse();
}

describe("a sender that looks like somebody whom the wallet has paid", () => {
  it("is marked, and nobody else is", async () => {
    await commit(from(poisoner), paid(supplier), from(poisoner));
    await commit(from(supplier), from(sameHead), from(sameTail), from(parseAddress(payer)));
    await commit(from(poisoner));
    expect(await deposits()).toEqual([null, supplier, null, null, null, null, supplier]);
  });

  it("is marked by the address that was paid first", async () => {
    const other = parseAddress(`0xa1b2${"7".repeat(32)}c4d5`);
    await commit(paid(supplier), paid(other));
    await commit(from(poisoner), from(supplier));
    expect(await deposits()).toEqual([supplier, other]);
  });

  it("is nobody whom the wallet had paid twenty times before it paid the other one", async () => {
    await commit(...Array.from({ length: 19 }, () => paid(supplier)), paid(poisoner));
    await commit(from(supplier));
    await commit(...Array.from({ length: 20 }, () => paid(sameHead)));
    await commit(paid(likeSameHead), from(sameHead), from(likeSameHead));
    expect(await deposits()).toEqual([poisoner, null, sameHead]);
  });

  it("is no look-alike for another wallet, which has paid nobody", async () => {
    await commit(paid(supplier));
    await commitMatched(watched, another, [from(poisoner)]);
    expect(await deposits()).toEqual([null]);
  });

  it("looks like nobody where the payment has left the chain", async () => {
    const { ledger, chainName } = watched;
    const positionOf = async () => {
      const { position } = await ledger.readChainState(chainName);
      if (position === null) throw new Error("the chain has started");
      return position;
    };
    const ancestor = await positionOf();
    await commit(paid(supplier));
    await ledger.undoBlocks({ chainName, from: await positionOf(), ancestor });
    await commit({ ...from(poisoner), identity: "b7".repeat(32) });
    expect(await deposits()).toEqual([null]);
  });
});

type Node = { "Node Type": string; "Index Name"?: string; Plans?: Node[] } & Record<
  string,
  unknown
>;
const flatten = (node: Node): Node[] => [node, ...(node.Plans ?? []).flatMap(flatten)];

/** The reads of payments for all deposits. */
async function look(): Promise<Node[]> {
  const [row] = await watched.db.$queryRaw<{ "QUERY PLAN": { Plan: Node }[] }[]>(Prisma.sql`
    EXPLAIN (ANALYZE, FORMAT JSON) SELECT ${lookalikeOf("t")} FROM transaction t WHERE t.type = 'deposit'`);
  const [top] = row?.["QUERY PLAN"] ?? [];
  return flatten(top?.Plan as Node).filter(({ Alias: alias }) => alias === "p");
}

describe("looking for it", () => {
  it("reads one entry of an index for each transfer, and none where the wallet has paid nobody", async () => {
    await commit(...Array.from({ length: 300 }, (_, n) => paid(addressOf(n))));
    await commit(paid(supplier), from(poisoner), from(parseAddress(payer)));
    await watched.db.$executeRaw`ANALYZE transaction`;
    const looked = await look();
    expect(looked).toMatchObject([
      { "Index Name": "transaction_paid_idx", "Actual Loops": 2, "Actual Rows": 0.5 },
    ]);
    expect(looked[0]?.["Rows Removed by Filter"] ?? 0).toBe(0);
  });

  it("reads few entries where a wallet has paid a sender any number of times", async () => {
    await commit(...Array.from({ length: 300 }, () => paid(supplier)));
    await commit(from(supplier));
    await watched.db.$executeRaw`ANALYZE transaction`;
    const [looked] = await look();
    expect(looked).toMatchObject({ "Index Name": "transaction_paid_idx", "Actual Rows": 20 });
    expect(looked?.["Rows Removed by Filter"] ?? 0).toBe(0);
  });
});

function addressOf(n: number): Address {
  return parseAddress(`0x${n.toString(16).padStart(4, "0")}${"5".repeat(36)}`);
}
