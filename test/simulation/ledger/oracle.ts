import type { AssetAddress, Movement } from "../../../src/domain/money/movement.ts";
import { customers } from "../chain/addresses.ts";
import type { FakeBlock } from "../chain/fake-chain.ts";
import type { TransactionRow } from "./read-ledger.ts";

/** One side of a movement: what a wallet of this address would have to show, if it was watched. */
export type Side = {
  address: string;
  asset: AssetAddress;
  /** What makes it this one and no other, but for equal ones of its transaction. */
  key: string;
  direction: "in" | "out";
  isFee: boolean;
  amountAtomic: bigint;
  txHash: string;
  from: string;
  to: string;
  block: FakeBlock;
  /** Order in the block. */
  place: number;
  logIndex: number | null;
  tracePath: string | null;
};

const sides = new WeakMap<FakeBlock, Side[]>();

/**
 * What a block means to the customers' addresses, in order of execution. Worked out from the block
 * alone and without the product's own code: outgoing before incoming, nothing of no amount, a fee
 * only for its payer.
 */
export function sidesOf(block: FakeBlock): Side[] {
  const known = sides.get(block);
  if (known !== undefined) return known;
  const made = block.movements.flatMap((movement, place) =>
    sidesOfMovement(block, movement, place),
  );
  sides.set(block, made);
  return made;
}

function sidesOfMovement(block: FakeBlock, movement: Movement, place: number): Side[] {
  const { kind, from, to, amountAtomic } = movement;
  const isFee = kind === "fee";
  if (amountAtomic === 0n) return [];
  const made: Side[] = [];
  if (kind !== "income" && isCustomer(from))
    made.push(toSide(block, movement, { place, direction: "out" }));
  if (!isFee && isCustomer(to)) made.push(toSide(block, movement, { place, direction: "in" }));
  return made;
}

function isCustomer(address: string): boolean {
  return customers.some((customer) => customer === address);
}

function toSide(
  block: FakeBlock,
  movement: Movement,
  side: { place: number; direction: "in" | "out" },
): Side {
  const { kind, asset, txHash, from, to, amountAtomic, logIndex, tracePath } = movement;
  const { place, direction } = side;
  const isFee = kind === "fee";
  return {
    address: direction === "out" ? from : to,
    asset,
    key: keyOf(block, movement, direction),
    direction,
    isFee,
    amountAtomic,

    txHash,
    from,
    to,
    block,
    place,
    logIndex,
    tracePath,
  };
}

/**
 * A fee is its transaction's; a withdrawal has an amount of its own; what a block earns is that
 * block's.
 */
function keyOf({ header }: FakeBlock, movement: Movement, direction: "in" | "out"): string {
  const { kind, asset, txHash, from, to, amountAtomic } = movement;
  if (kind === "fee") return `fee ${txHash}`;
  if (kind === "income")
    return movement.source.kind === "fees" ? `fees ${header.hash}` : `income ${to} ${amountAtomic}`;
  return `${direction} ${txHash} ${asset} ${from} ${to} ${amountAtomic}`;
}

const gwei = 10n ** 9n;

/** What a row of the ledger says it is, in the words of a side. */
export function keyOfRow(row: TransactionRow): string {
  const { type, txHash, to, amount, blockHash } = row;
  if (type === "fee") return `fee ${txHash}`;
  if (type === "income")
    return BigInt(amount) < gwei ? `fees ${blockHash}` : `income ${to} ${amount}`;
  return `${row.direction} ${txHash} ${row.asset} ${row.from} ${to} ${amount}`;
}

/** Whether a row says what this side says, of the same owner and with the same amount. */
export function isTrue(side: Side, row: TransactionRow): boolean {
  return (
    side.address === row.address &&
    side.asset === row.asset &&
    side.key === keyOfRow(row) &&
    side.amountAtomic.toString() === row.amount
  );
}
