import { expect, it } from "vitest";
import { type BlockHeader, checkpointBlocks } from "../../../../src/domain/chain/block.ts";
import {
  applyDifference,
  markOf,
  type WatchDifference,
} from "../../../../src/domain/watch/watchlist.ts";
import { wallet } from "../../../support/chain/cast.ts";
import { eachWatchedChain } from "../../../support/chain/each-chain.ts";
import { randomAddress, randomHash } from "../../../support/ledger/ledger-fixtures.ts";
import { rewindChain } from "../../../support/ledger/steps.ts";

const { watched } = eachWatchedChain({ blocks: 2, depth: 1 });

type Commit = Parameters<typeof watched.ledger.commitBlocks>[0];

const positionOf = async () =>
  (await watched.ledger.readChainState(watched.chainName)).position ?? expect.fail();

/** Commits so many empty blocks in one commit, a block every twelve seconds, all confirmed. */
async function pass(blocks: number, more: Partial<Commit> = {}): Promise<BlockHeader[]> {
  const { chainName, db } = watched;
  const position = await positionOf();
  const { positionTime } = await db.chain.findUniqueOrThrow({ where: { name: chainName } });
  const headers: BlockHeader[] = [];
  for (let place = 1; place <= blocks; place += 1)
    headers.push({
      number: position.number + BigInt(place),
      hash: randomHash(),
      parentHash: headers.at(-1)?.hash ?? position.hash,
      timeMs: Number(positionTime) + place * 12_000,
    });
  await commit(headers, more);
  return headers;
}

/** Commits empty blocks, all confirmed. */
async function commit(headers: readonly BlockHeader[], more: Partial<Commit>): Promise<void> {
  expect((await attempt(headers, more)).kind).toBe("committed");
}

/** Tries the same once. */
async function attempt(headers: readonly BlockHeader[], more: Partial<Commit>) {
  const { ledger, chainName } = watched;
  const [first = expect.fail(), ...others] = headers;
  const mark = markOf(await ledger.readWatchlist(chainName));
  const confirmedNumber = headers.at(-1)?.number ?? first.number;
  return ledger.commitBlocks({
    kind: "range",
    chainName,
    parent: await positionOf(),
    headers: [first, ...others],
    headNumber: confirmedNumber,
    watched: mark,
    match: () => [],
    confirmedNumber,
    isAgreed: true,
    isSettled: false,
    ...more,
  });
}

const numbers = async () =>
  (await watched.db.block.findMany({ orderBy: { number: "asc" } })).map(({ number }) => number);

it("a long range leaves the window, its checkpoints, and the block of an opening that is due", async () => {
  const { db } = watched;
  await watched.catchUp();
  await watched.addWallet(wallet);
  const { number: opened } = await positionOf();
  const first = await pass(3_000);
  const last = first.at(-1)?.number ?? 0n;
  const window = Array.from({ length: 513 }, (_, place) => last - 512n + BigInt(place));
  expect(await numbers()).toEqual([opened, ...window]);

  const passed = first.filter(({ number }) => number < last - 512n);
  const isCheckpoint = ({ number }: BlockHeader) => number % checkpointBlocks === 0n;
  const hashes = passed.filter(isCheckpoint).map(({ number, hash }) => [number, hash]);
  expect(hashes).not.toEqual([]);
  const kept = await db.checkpoint.findMany({ where: { number: { gt: opened } } });
  expect(kept.map(({ number, hash }) => [number, hash])).toEqual(hashes);

  await db.balance.updateMany({ data: { opening: 0 } });
  await pass(1);
  expect(await numbers()).toEqual([...window.slice(1), last + 1n]);
});

it("blocks that are read again after a rewind stay until it is settled, however many", async () => {
  const { db, chainName } = watched;
  await watched.catchUp();
  const { number: ancestor } = await positionOf();
  const headers = await pass(600, { confirmedNumber: ancestor });
  await rewindChain(db, { chainName, toNumber: ancestor });
  await commit(headers, { kind: "newest" });
  const others = await pass(600, { kind: "newest" });
  const again = [...headers, ...others].map(({ number }) => number);
  expect((await numbers()).slice(-1_200)).toEqual(again);
  await pass(1, { kind: "newest", isSettled: true });
  expect(await numbers()).toHaveLength(513);
});

it("a rewind goes back as far as no block is missing above, and names how far", async () => {
  const { db, chainName } = watched;
  await watched.catchUp();
  await watched.addWallet(wallet);
  const { number: opened } = await positionOf();
  const last = (await pass(3_000)).at(-1)?.number ?? 0n;
  expect(await numbers()).toContain(opened);
  await expect(rewindChain(db, { chainName, toNumber: opened })).rejects.toThrow(
    `can go back to blocks ${last - 512n} to ${last - 1n}, not to ${opened}`,
  );
  const to = { from: last, to: last - 512n };
  expect(await rewindChain(db, { chainName, toNumber: last - 512n })).toEqual(to);
});

/** A wallet is added above `ancestor`, to which the chain is then rewound. */
async function rewindBelowAddition() {
  const { db, chainName } = watched;
  await watched.catchUp();
  const { number: ancestor } = await positionOf();
  const [first = expect.fail()] = await pass(4);
  const walletId = await watched.addWallet(wallet);
  const since = async (id: string) =>
    (await db.wallet.findUniqueOrThrow({ where: { id }, include: { addedChange: true } }))
      .addedChange.positionNumber;
  await rewindChain(db, { chainName, toNumber: ancestor });
  return { ancestor, first, other: { ...first, hash: randomHash() }, walletId, since };
}

it("a wallet that is added while the first other block after a rewind is not written is watched", async () => {
  const { other } = await rewindBelowAddition();
  const list = await watched.ledger.readWatchlist(watched.chainName);
  const learn = (difference: WatchDifference | null) => {
    if (difference !== null) applyDifference(list, difference);
    return [];
  };
  const failing = (difference: WatchDifference | null) => {
    learn(difference);
    if (difference !== null) throw new Error("The connection is lost.");
    return [];
  };
  const newest = { kind: "newest", watched: markOf(list) } as const;
  await attempt([other], { ...newest, match: failing }).catch(() => {});
  const address = randomAddress();
  await watched.addWallet(address);
  const again = () => attempt([other], { ...newest, watched: markOf(list), match: learn });
  while ((await again()).kind !== "committed");
  expect(list.wallets.has(address)).toBe(true);
});

it("the first other block after a rewind is found, though another one was not written before it", async () => {
  const { ancestor, first, other, walletId, since } = await rewindBelowAddition();
  const mark = markOf(await watched.ledger.readWatchlist(watched.chainName));
  await watched.addWallet(randomAddress());
  const unread = (difference: WatchDifference | null) => (difference === null ? [] : null);
  const outcome = await attempt([first], { kind: "newest", watched: mark, match: unread });
  expect(outcome).toEqual({ kind: "watch_changed" });
  expect(await since(walletId)).toBeGreaterThan(ancestor);
  await attempt([other], { kind: "newest" });
  expect(await since(walletId)).toBe(ancestor);
});
