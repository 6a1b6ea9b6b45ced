import { branchOf, type Check, checkChain, checkSums } from "../ledger/check-ledger.ts";
import { isTrue, sidesOf } from "../ledger/oracle.ts";
import { readLedger } from "../ledger/read-ledger.ts";
import type { World } from "../world.ts";

/** Nothing that one endpoint made up is ever confirmed while another one contradicts it. */
export async function checkLies(world: World): Promise<void> {
  if (world.cast.liar === null && !world.spells.hasLied()) return;
  const believed = await world.sql<{ number: string; hash: string }>(
    `SELECT b.number, b.hash FROM block b JOIN chain c ON c.name = b.chain_name
     WHERE b.number <= c.confirmed_number`,
  );
  for (const { number, hash } of believed) {
    const isOfChain = world.chain.byHash.has(hash as `0x${string}`) && !world.spells.isLie(hash);
    if (!isOfChain) world.fail(`the made-up block ${number} ${hash} is confirmed`);
    const isFinal = Number(number) <= world.chain.final();
    if (world.cast.policy.kind === "tag" && !isFinal)
      world.fail(
        `block ${number} is confirmed, but the chain is final up to ${world.chain.final()}`,
      );
  }
}

/**
 * What must hold while an endpoint lies: what waits may be wrong or missing, but all that is
 * confirmed is so on the chain, and so is what a wallet began with.
 */
export async function checkBelieved(world: World): Promise<void> {
  const snapshot = await readLedger(world);
  const { fail } = world;
  if (snapshot.chain.positionHash === null) return;
  const branch = branchOf(world, snapshot, () => {});
  const check: Check = { world, snapshot, branch, fail };
  checkSums(check);
  // The position itself may be of a branch that a liar has made up of the chain's own blocks.
  if (branch.length > 0) checkChain(check);
  const canonical = new Set<string>(world.chain.canonical().map(({ header }) => header.hash));
  for (const row of snapshot.transactions) {
    if (row.status === "reversed" && canonical.has(row.blockHash))
      fail(`reversed, but its block is the chain's: ${JSON.stringify(row)}`);
    if (row.status !== "completed") continue;
    const block = world.chain.byHash.get(row.blockHash as `0x${string}`);
    const isSo = block !== undefined && sidesOf(block).some((side) => isTrue(side, row));
    if (!isSo) fail(`completed, but not so in its block: ${JSON.stringify(row)}`);
  }
  for (const { address, asset, opening, since } of snapshot.holdings) {
    if (opening === null || since === null) continue;
    const block = branch[Number(since)];
    const held = block?.balances.get(`${address}/${asset}`) ?? 0n;
    if (block !== undefined && held.toString() !== opening)
      fail(`${address} began with ${opening} of ${asset} at ${since}, the chain has ${held}`);
  }
}
