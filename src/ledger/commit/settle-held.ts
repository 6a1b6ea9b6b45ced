import type { Hash } from "../../domain/chain/block.ts";
import { Fault } from "../../domain/fault.ts";
import { lockChain } from "../chain/chain-state.ts";
import type { Tx } from "../postgres/transaction.ts";
import { acceptIn } from "./unproven.ts";

/** A held block, and the wallet whose movements are meant. A null wallet: those of every wallet. */
type Asked = { chainName: string; blockHash: string; walletId: string | null };

/** A transaction that waited for its proof. */
type SettledTransaction = {
  id: string;
  walletId: string;
  assetCode: string;
  amountAtomic: string;
};

export type SettledHeld = {
  block: { number: bigint; hash: Hash };
  transactions: SettledTransaction[];
  /**
   * The number of these transactions that it confirms. The others wait for the confirmation of
   * their block.
   */
  confirmed: number;
  notified: number;
};

/** A fault message names at most this many blocks. */
const blocksNamed = 5;

/**
 * Accepts a block's movements without their proof, because an operator said so. They are marked as
 * confirmed alone. They become confirmed if their block is.
 * @throws Fault `chain_not_found`; `invalid_request` if no movement of that block waits. Its
 *   message names blocks with waiting movements
 */
export async function settleHeld(tx: Tx, asked: Asked): Promise<SettledHeld> {
  const { chainName, blockHash, walletId } = asked;
  const state = await lockChain(tx, chainName);
  const rows = await tx.transaction.findMany({
    where: {
      ...waitingOf(chainName),
      blockHash,
      ...(walletId === null ? {} : { walletId }),
    },
    include: { asset: { select: { code: true } } },
    orderBy: { id: "asc" },
  });
  const [first] = rows;
  if (first === undefined) throw await nothingHeld(tx, asked);
  const hash = blockHash as Hash;
  const identities = rows.map(({ identity }) => Buffer.from(identity).toString("hex"));
  const held = { identities, blockHash: hash, isAgreed: false, isAlone: true };
  const { confirmed, notified } = await acceptIn(tx, state, [held]);
  return {
    block: { number: first.blockNumber, hash },
    transactions: rows.map(({ id, walletId: of, asset, amount }) => ({
      id,
      walletId: of,
      assetCode: asset.code,
      amountAtomic: amount.toFixed(),
    })),
    confirmed,
    notified,
  };
}

const waitingOf = (chainName: string) => ({
  chainName,
  unproven: true,
  status: "pending",
  orphaned: false,
});

async function nothingHeld(tx: Tx, { chainName, blockHash, walletId }: Asked): Promise<Fault> {
  const held = await tx.transaction.findMany({
    where: waitingOf(chainName),
    distinct: ["blockNumber"],
    orderBy: { blockNumber: "asc" },
    take: blocksNamed,
  });
  const named = held.map((one) => `block ${one.blockNumber} ${one.blockHash}`).join(", ");
  const of = walletId === null ? "" : ` of wallet ${walletId}`;
  const others = named === "" ? "Nothing else is held either." : `Held: ${named}.`;
  return new Fault(
    "invalid_request",
    `Nothing${of} is held in block ${blockHash} of chain '${chainName}'. ${others}`,
  );
}
