import { expect, it } from "vitest";
import { markOf } from "../../../../src/domain/watch/watchlist.ts";
import { clientsOf } from "../../../../src/ledger/postgres/database.ts";
import { eachTestLedger } from "../../../support/ledger/each-ledger.ts";
import {
  insertBusiness,
  markSynced,
  moveChainTo,
  newWallet,
  randomHash,
} from "../../../support/ledger/ledger-fixtures.ts";
import { addWallets } from "../../../support/ledger/steps.ts";
import { createWatcherLedger } from "../../../support/ledger/watcher-ledger.ts";

const ledger = eachTestLedger();
const chainName = "ethereum";

/** Deposits that wait, twenty in each block from 1,000 on. */
async function fill(count: number): Promise<string> {
  const { db } = ledger;
  const businessId = await insertBusiness(db);
  const [added] = await addWallets(db, { businessId, wallets: [newWallet({ chainName })] });
  const walletId = added?.id ?? expect.fail();
  await moveChainTo(db, chainName, 2_000n);
  await db.chain.update({ where: { name: chainName }, data: { confirmedNumber: 999n } });
  await markSynced(db, [walletId], { ETH: { pending: BigInt(count) } });
  await clientsOf(db).pool.query(
    `INSERT INTO transaction (id, identity, chain_name, business_id, wallet_id, asset_id, type, direction, amount, status,
      tx_hash, block_number, block_hash, block_time, ordinal, from_address, to_address)
    SELECT gen_random_uuid(), sha256(n::text::bytea), w.chain_name, w.business_id, w.id, a.id, 'deposit', 'in', 1, 'pending',
      '0x' || lpad(to_hex(n), 64, '0'), 1000 + n / 20, '0x' || lpad(to_hex(n / 20), 64, '0'), now(), n % 20, w.address, w.address
    FROM generate_series(0, $1::int - 1) n, wallet w JOIN asset a USING (chain_name) WHERE w.id = $2 AND a.code = 'ETH'`,
    [count, walletId],
  );
  return walletId;
}

const position = async () => {
  const { positionNumber, positionHash } = await ledger.db.chain.findUniqueOrThrow({
    where: { name: chainName },
  });
  return { number: positionNumber ?? 0n, hash: positionHash as `0x${string}` };
};

it("what has waited for long is confirmed in several commits, the oldest first", async () => {
  const walletId = await fill(10_010);
  const { commitBlocks, confirmUpTo, readWatchlist } = createWatcherLedger(ledger.db);
  const watched = markOf(await readWatchlist(chainName));
  const next = async (kind: "newest" | "range") => {
    const parent = await position();
    const number = parent.number + 1n;
    const header = { number, hash: randomHash(), parentHash: parent.hash, timeMs: Date.now() };
    const of = {
      kind,
      chainName,
      parent,
      headers: [header] as const,
      headNumber: number,
      watched,
    };
    return { ...of, match: () => [], isAgreed: true, isSettled: true, confirmedNumber: number };
  };
  expect(await commitBlocks(await next("newest"))).toMatchObject({ confirmed: 5_000 });
  expect(await commitBlocks(await next("range"))).toMatchObject({ confirmed: 5_000 });
  const asked = { chainName, upTo: 2_002n, isAgreed: true, isSettled: true };
  const last = await confirmUpTo({ ...asked, position: await position() });
  expect(last).toMatchObject({ confirmed: 10 });

  const [row] = await ledger.db.balance.findMany({ where: { walletId, asset: { code: "ETH" } } });
  expect([row?.confirmed.toFixed(), row?.pending.toFixed()]).toEqual(["10010", "0"]);
  const { confirmedNumber } = await ledger.db.chain.findUniqueOrThrow({
    where: { name: chainName },
  });
  expect(confirmedNumber).toBe(2_002n);
});
