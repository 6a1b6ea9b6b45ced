import { expect, it } from "vitest";
import { type BlockHeader, checkpointBlocks } from "../../../../src/domain/chain/block.ts";
import { wallet } from "../../../support/chain/cast.ts";
import { eachWatchedChain } from "../../../support/chain/each-chain.ts";
import { randomHash } from "../../../support/ledger/ledger-fixtures.ts";

const { watched } = eachWatchedChain({ blocks: 2, depth: 1 });

/** Commits so many empty blocks in one commit, a block every twelve seconds, all confirmed. */
async function pass(blocks: number): Promise<BlockHeader[]> {
  const { ledger, chainName, db } = watched;
  const { position } = await ledger.readChainState(chainName);
  if (position === null) throw new Error("the chain has started");
  const { positionTime } = await db.chain.findUniqueOrThrow({ where: { name: chainName } });
  const headers: BlockHeader[] = [];
  for (let place = 1; place <= blocks; place += 1)
    headers.push({
      number: position.number + BigInt(place),
      hash: randomHash(),
      parentHash: headers.at(-1)?.hash ?? position.hash,
      timeMs: Number(positionTime) + place * 12_000,
    });
  const [first, ...others] = headers;
  if (first === undefined) throw new Error("there is a block");
  const { version: watchVersion } = await ledger.readWatchlist(chainName);
  const confirmedNumber = first.number + BigInt(blocks) - 1n;
  const outcome = await ledger.commitBlocks({
    kind: "range",
    chainName,
    parent: position,
    headers: [first, ...others],
    headNumber: confirmedNumber,
    watchVersion,
    match: () => [],
    confirmedNumber,
    isAgreed: true,
    isSettled: false,
  });
  expect(outcome.kind).toBe("committed");
  return headers;
}

it("a long range leaves the window, its checkpoints, and the block of an opening that is due", async () => {
  const { db, ledger, chainName } = watched;
  await watched.catchUp();
  await watched.addWallet(wallet);
  const { position } = await ledger.readChainState(chainName);
  const opened = position?.number ?? 0n;
  const first = await pass(3_000);
  const numbers = async () =>
    (await db.block.findMany({ orderBy: { number: "asc" } })).map(({ number }) => number);
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
