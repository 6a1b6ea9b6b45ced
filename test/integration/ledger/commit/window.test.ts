import { expect, it } from "vitest";
import { type BlockHeader, checkpointBlocks } from "../../../../src/domain/chain/block.ts";
import { wallet } from "../../../support/chain/cast.ts";
import { eachWatchedChain } from "../../../support/chain/each-chain.ts";
import { randomHash } from "../../../support/ledger/ledger-fixtures.ts";
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
  const { ledger, chainName } = watched;
  const [first = expect.fail(), ...others] = headers;
  const { version: watchVersion } = await ledger.readWatchlist(chainName);
  const confirmedNumber = headers.at(-1)?.number ?? first.number;
  const outcome = await ledger.commitBlocks({
    kind: "range",
    chainName,
    parent: await positionOf(),
    headers: [first, ...others],
    headNumber: confirmedNumber,
    watchVersion,
    match: () => [],
    confirmedNumber,
    isAgreed: true,
    isSettled: false,
    ...more,
  });
  expect(outcome.kind).toBe("committed");
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
