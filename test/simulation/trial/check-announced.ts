import { sidesOf } from "../ledger/oracle.ts";
import type { World } from "../world.ts";

type Announced = {
  transactionId: string;
  state: "confirmed" | "reversed";
  direction: "in" | "out";
  txHash: string;
  address: string;
  asset: string;
  amount: string;
  from: string;
  to: string;
};

/**
 * Over the whole run: nothing was announced as confirmed that no block of the chain has ever held;
 * and, where those who do not lie are never wrong, nothing as reversed more often than the chain
 * has left a block that held it.
 */
export async function checkAnnounced(world: World): Promise<void> {
  const announced = await world.sql<Announced>(
    `SELECT n.state, t.id AS "transactionId", t.direction, t.tx_hash AS "txHash", w.address, a.address AS asset,
       t.amount::text, t.from_address AS "from", t.to_address AS "to"
     FROM notification n JOIN transaction t ON t.id = n.transaction_id
       JOIN wallet w ON w.id = t.wallet_id JOIN asset a ON a.id = t.asset_id
     WHERE n.state IN ('confirmed', 'reversed')`,
  );
  const held = blocksThatHeld(world);
  const canonical = new Set<string>(world.chain.canonical().map(({ header }) => header.hash));
  const reversals = new Map<string, number>();
  for (const one of announced) {
    const blocks = held.get(keyOf(one)) ?? new Set();
    if (one.state === "confirmed" && blocks.size === 0)
      world.fail(`announced, but never so on the chain: ${JSON.stringify(one)}`);
    if (one.state === "confirmed" || world.cast.liar === null) continue;
    const count = (reversals.get(one.transactionId) ?? 0) + 1;
    reversals.set(one.transactionId, count);
    if (count > [...blocks].filter((hash) => !canonical.has(hash)).length)
      world.fail(`reversed, but the chain had not left its block: ${JSON.stringify(one)}`);
  }
}

type Keyed = Omit<Announced, "transactionId" | "state">;

function keyOf({ direction, txHash, address, asset, amount, from, to }: Keyed): string {
  return [direction, txHash, address, asset, amount, from, to].join(" ");
}

/** The chain's blocks, those that it has left included, by all that they meant to customers. */
function blocksThatHeld(world: World): Map<string, Set<string>> {
  const blocks = new Map<string, Set<string>>();
  for (const block of world.chain.byHash.values()) {
    const { hash } = block.header;
    if (world.spells.isLie(hash)) continue;
    for (const side of sidesOf(block)) {
      const key = keyOf({ ...side, amount: side.amountAtomic.toString() });
      blocks.set(key, (blocks.get(key) ?? new Set()).add(hash));
    }
  }
  return blocks;
}
