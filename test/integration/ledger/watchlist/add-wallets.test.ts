import { beforeEach, describe, expect, test } from "vitest";
import { faultIn } from "../../../../src/domain/fault.ts";
import { isId } from "../../../../src/domain/id.ts";
import { lockChain } from "../../../../src/ledger/chain/chain-state.ts";
import { inTransaction } from "../../../../src/ledger/postgres/transaction.ts";
import { readWallets } from "../../../../src/ledger/watchlist/read-wallets.ts";
import { readDifference, readWatchlist } from "../../../../src/ledger/watchlist/read-watchlist.ts";
import { lowerChanges } from "../../../../src/ledger/watchlist/watch-change.ts";
import { eachTestLedger } from "../../../support/ledger/each-ledger.ts";
import {
  insertBusiness,
  markSynced,
  moveChainTo,
  newWallet,
  randomAddress,
} from "../../../support/ledger/ledger-fixtures.ts";
import { addWallets, archiveWallet, removeWallet } from "../../../support/ledger/steps.ts";
import { waitFor } from "../../../support/wait-for.ts";

const ledger = eachTestLedger();
let businessId: string;

beforeEach(async () => {
  businessId = await insertBusiness(ledger.db);
});

async function faultOf(work: Promise<unknown>) {
  const fault = faultIn(await work.catch((error: unknown) => error));
  if (fault === undefined) throw new Error("it did not fail");
  return fault;
}

const chain = () => ledger.db.chain.findUniqueOrThrow({ where: { name: "ethereum" } });

describe("adding wallets", () => {
  test("raises the watch version once, at the position the chain has", async () => {
    const before = await chain();
    await moveChainTo(ledger.db, "ethereum", 41n);
    const wallets = await addWallets(ledger.db, {
      businessId,
      wallets: [newWallet(), newWallet()],
    });
    expect((await chain()).watchVersion).toBe(before.watchVersion + 1n);
    const change = await ledger.db.watchChange.findFirstOrThrow({ orderBy: { version: "desc" } });
    expect(change).toMatchObject({ version: before.watchVersion + 1n, positionNumber: 41n });
    const list = await readWatchlist(ledger.db, "ethereum");
    expect([...list.wallets.values()].map(({ id, since }) => ({ id, since }))).toEqual(
      wallets.map(({ id }) => ({ id, since: 41n })),
    );
  });

  test("gives each a balance to be opened for every configured asset", async () => {
    const [wallet] = await addWallets(ledger.db, { businessId, wallets: [newWallet()] });
    expect(wallet).toMatchObject({ status: "syncing", currencies: ["ETH", "USDC"] });
    const balances = await ledger.db.balance.findMany({ where: { walletId: wallet?.id ?? "" } });
    expect(balances).toHaveLength(2);
    expect(balances.every((balance) => balance.opening === null)).toBe(true);
  });

  test("answers them in the order given, with ids that sort newest last", async () => {
    const wallets = Array.from({ length: 50 }, () => newWallet());
    const added = await addWallets(ledger.db, { businessId, wallets });
    expect(added.map((wallet) => wallet.address)).toEqual(wallets.map((wallet) => wallet.address));
    const ids = added.map((wallet) => wallet.id);
    expect(ids.every(isId)).toBe(true);
    expect([...ids].sort()).toEqual(ids);
  });

  test("adds ten thousand in one call", async () => {
    const wallets = Array.from({ length: 10_000 }, () => newWallet());
    expect(await addWallets(ledger.db, { businessId, wallets })).toHaveLength(10_000);
    expect(await ledger.db.balance.count()).toBe(20_000);
  });

  test("adds all or none, and names the owner only among the facts", async () => {
    const taken = newWallet();
    await addWallets(ledger.db, { businessId, wallets: [taken] });
    const before = await chain();
    const other = await insertBusiness(ledger.db, "Other");
    const fault = await faultOf(
      addWallets(ledger.db, { businessId: other, wallets: [newWallet(), taken, newWallet()] }),
    );
    expect(fault.code).toBe("wallet_exists");
    expect(fault.message).not.toContain("Example Ltd");
    expect(fault.facts).toMatchObject({
      count: 1,
      conflicts: [{ address: taken.address, businessId, businessName: "Example Ltd" }],
    });
    expect(await ledger.db.wallet.count()).toBe(1);
    expect(await chain()).toEqual(before);
    expect(await ledger.db.watchChange.count({ where: { version: { lt: 0 } } })).toBe(0);
  });

  test("on a chain that is not known names the ones that are", async () => {
    const fault = await faultOf(
      addWallets(ledger.db, { businessId, wallets: [newWallet({ chainName: "base" })] }),
    );
    expect(fault.code).toBe("unknown_blockchain");
    expect(fault.message).toContain("ethereum");
  });

  test("of a business that does not exist is refused", async () => {
    const nobody = "01900000-0000-7000-8000-000000000000";
    const fault = await faultOf(
      addWallets(ledger.db, { businessId: nobody, wallets: [newWallet()] }),
    );
    expect(fault.code).toBe("business_not_found");
  });
});

describe("at the same time", () => {
  test("of many who add one address, one wins", async () => {
    const wallet = newWallet();
    const results = await Promise.allSettled(
      Array.from({ length: 8 }, () => addWallets(ledger.db, { businessId, wallets: [wallet] })),
    );
    expect(results.filter((result) => result.status === "fulfilled")).toHaveLength(1);
    const codes = results.flatMap((result) =>
      result.status === "rejected" ? [faultIn(result.reason)?.code] : [],
    );
    expect(codes).toEqual(Array.from({ length: 7 }, () => "wallet_exists"));
    expect(await ledger.db.balance.count()).toBe(2);
  });

  test("lists with the same addresses in opposite orders wait for each other and do not deadlock", async () => {
    const wallets = Array.from({ length: 300 }, () => newWallet());
    const lists = [wallets, [...wallets].reverse(), wallets, [...wallets].reverse()];
    const results = await Promise.allSettled(
      lists.map((list) => addWallets(ledger.db, { businessId, wallets: list })),
    );
    expect(results.filter((result) => result.status === "fulfilled")).toHaveLength(1);
    for (const result of results) {
      if (result.status === "rejected") expect(faultIn(result.reason)?.code).toBe("wallet_exists");
    }
  });

  test("every wallet is watched from exactly the position its version was raised at, while blocks go on", async () => {
    await moveChainTo(ledger.db, "ethereum", 1n);
    // What a block commit does: it moves the position only where the version is the one it matched
    // against.
    const committed: { position: bigint; version: bigint }[] = [];
    let isAdding = true;
    const commits = (async () => {
      for (let position = 2n; isAdding || position < 30n; position += 1n) {
        for (;;) {
          const { watchVersion } = await chain();
          const moved = await ledger.db.chain.updateMany({
            where: { name: "ethereum", watchVersion },
            data: { positionNumber: position },
          });
          if (moved.count === 0) continue;
          committed.push({ position, version: watchVersion });
          break;
        }
      }
    })();
    const additions = Array.from({ length: 30 }, () =>
      addWallets(ledger.db, { businessId, wallets: [newWallet(), newWallet()] }),
    );
    await Promise.all(additions);
    isAdding = false;
    await commits;
    const changes = await ledger.db.watchChange.findMany({ where: { addedWallets: { some: {} } } });
    expect(changes).toHaveLength(30);
    for (const { version, positionNumber } of changes) {
      // A block above the change's position was matched with it; one at or below it was not.
      for (const block of committed) {
        expect(block.version >= version).toBe(block.position > (positionNumber ?? 0n));
      }
    }
  });

  test("a block commit is not held up by an addition that is still being written", async () => {
    const address = randomAddress();
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    // Holds the address, so that the addition stops in the middle, before it has raised the
    // version.
    const blocker = inTransaction(ledger.db, async (tx) => {
      const change = await tx.watchChange.findFirstOrThrow();
      await tx.wallet.create({
        data: {
          id: "01900000-0000-7000-8000-000000000001",
          businessId,
          chainName: "ethereum",
          address,
          purpose: "deposit",
          addedChangeId: change.id,
        },
      });
      await released;
      throw new Error("undone");
    }).catch(() => {});
    await waitFor(() => isWaiting("idle in transaction"), {
      what: "the holder",
      timeoutMs: 10_000,
    });
    const addition = addWallets(ledger.db, { businessId, wallets: [newWallet({ address })] });
    try {
      await waitFor(() => isWaiting("active"), { what: "a blocked addition", timeoutMs: 10_000 });
      await moveChainTo(ledger.db, "ethereum", 77n);
    } finally {
      release();
      await blocker;
    }
    await addition;
    const change = await ledger.db.watchChange.findFirstOrThrow({ orderBy: { version: "desc" } });
    expect(change.positionNumber).toBe(77n);
  });

  test("an address that comes back has a history from where a reorg has just lowered its end", async () => {
    await moveChainTo(ledger.db, "ethereum", 90n);
    const wallet = newWallet();
    const [before] = await addWallets(ledger.db, { businessId, wallets: [wallet] });
    await moveChainTo(ledger.db, "ethereum", 100n);
    await archiveWallet(ledger.db, before?.id ?? "");
    await moveChainTo(ledger.db, "ethereum", 105n);
    const addition = await inTransaction(ledger.db, async (tx) => {
      await lockChain(tx, "ethereum");
      const waiting = addWallets(ledger.db, { businessId, wallets: [wallet] });
      await waitFor(() => isWaiting("active", "%watch_version + 1%"), {
        what: "an addition that waits for the chain",
        timeoutMs: 10_000,
      });
      await lowerChanges(tx, "ethereum", 95n);
      return { waiting };
    });
    expect((await addition.waiting)[0]?.fromBlock).toBe(96n);
  });

  async function isWaiting(
    state: "active" | "idle in transaction",
    query = "%INSERT INTO%wallet%",
  ): Promise<boolean> {
    const rows = await ledger.db.$queryRaw<{ count: number }[]>`
      SELECT count(*)::int AS count FROM pg_stat_activity
      WHERE datname = current_database() AND state = ${state} AND pid <> pg_backend_pid()
        AND query LIKE ${query} AND (state <> 'active' OR wait_event_type = 'Lock')`;
    return (rows[0]?.count ?? 0) > 0;
  }
});

describe("archiving a wallet", () => {
  test("shows as a difference of the watchlist, and frees the address", async () => {
    const wallet = newWallet();
    const [added] = await addWallets(ledger.db, { businessId, wallets: [wallet] });
    const { watchVersion } = await chain();
    const mark = { version: watchVersion, changeId: null };
    const first = await archiveWallet(ledger.db, added?.id ?? "");
    const difference = await inTransaction(ledger.db, (tx) => readDifference(tx, "ethereum", mark));
    expect(difference).toMatchObject({
      version: watchVersion + 1n,
      added: [],
      removed: [{ id: added?.id, address: wallet.address }],
    });
    for (const again of [archiveWallet, removeWallet])
      expect(await again(ledger.db, added?.id ?? "")).toEqual(first);
    expect((await chain()).watchVersion).toBe(watchVersion + 1n);
    const [again] = await addWallets(ledger.db, { businessId, wallets: [wallet] });
    expect(again?.id).not.toBe(added?.id);
  });

  test("that does not exist is refused", async () => {
    for (const end of [archiveWallet, removeWallet]) {
      const fault = await faultOf(end(ledger.db, "01900000-0000-7000-8000-000000000000"));
      expect(fault.code).toBe("wallet_not_found");
    }
  });
});

test("a wallet is syncing until every opening of its configured assets is read", async () => {
  const [wallet] = await addWallets(ledger.db, { businessId, wallets: [newWallet()] });
  const status = async () =>
    (await readWallets(ledger.db, { businessId }, { limit: 1, afterId: null })).rows[0]?.status;
  const id = wallet?.id ?? "";
  const [first] = await ledger.db.balance.findMany({ where: { walletId: id } });
  await ledger.db.balance.updateMany({
    where: { walletId: id, assetId: first?.assetId ?? 0 },
    data: { opening: 0 },
  });
  expect(await status()).toBe("syncing");
  await markSynced(ledger.db, [id]);
  expect(await status()).toBe("watched");
});
