import type { Address } from "../../domain/chain/address.ts";
import type { Hash } from "../../domain/chain/block.ts";
import { txTypes } from "../../domain/chain/tx-types.ts";
import type { Movement } from "../../domain/money/movement.ts";
import type { RpcLog, RpcReceipt, RpcTransaction } from "../rpc/rpc-block.ts";
import { readHash, readQuantity } from "../rpc/rpc-value.ts";
import { addressIn } from "./decode-logs.ts";
import { type CoinMove, income } from "./income/movement-makers.ts";
import type { TracedTransaction } from "./trace-moves.ts";

/** zkSync's coin, and keccak-256 of its `Mint(address,uint256)`. */
const zksyncCoin: Address = "0x000000000000000000000000000000000000800a";
const mintTopic = "0x0f6798a560793a54c3bcfe86a93cde1e73087d944c0ea20544137d4121396885";

/** Polygon's coin, and keccak-256 of its `Deposit(address,address,uint256,uint256,uint256)`. */
const polygonCoin: Address = "0x0000000000000000000000000000000000001010";
const syncedTopic = "0x4e2ca0515ed1aef1395f66b5303bb5d6f1bf9d61a353fa53f73f8ac9973fa9f6";

/** The first topics of all logs that show coin which was made or brought. */
export const bringingTopics: readonly Hash[] = [mintTopic, syncedTopic];

/**
 * Coin that one transaction made for accounts: what the parent chain brings, even if the
 * transaction's own call failed. One income for each account.
 */
export function coinMade(
  transaction: RpcTransaction,
  receipt: RpcReceipt,
  traced: Pick<TracedTransaction, "made" | "fees">,
): Movement[] {
  const made = new Map<Address, { amountAtomic: bigint; tracePath?: string }>();
  const add = (to: Address, amountAtomic: bigint, traced?: { tracePath: string }) => {
    const before = made.get(to) ?? { amountAtomic: 0n };
    const sum = { ...before, ...traced, amountAtomic: before.amountAtomic + amountAtomic };
    if (amountAtomic > 0n) made.set(to, sum);
  };
  if (traced.fees === null) add(transaction.from, broughtBy(transaction, receipt));
  else
    for (const { to, amountAtomic, tracePath } of traced.made) add(to, amountAtomic, { tracePath });
  for (const log of receipt.logs) {
    if (log.address !== zksyncCoin || log.topics[0] !== mintTopic) continue;
    const receiver = readHash(log.topics[1], "receiver of the minted coin");
    add(addressIn(receiver), readQuantity(log.data, "amount of the minted coin"));
  }
  return [...made].map(([to, paid]) => income(transaction.hash, { to, ...paid }, { kind: "mint" }));
}

/** The coin that a transaction brings its sender from the parent chain. */
function broughtBy({ type, value, mint, raw }: RpcTransaction, receipt: RpcReceipt): bigint {
  switch (type) {
    // Made for its sender first, who then sends it on.
    case txTypes.arbitrumDeposit:
      return value;
    case txTypes.arbitrumSubmitRetryable:
      return readQuantity(raw["depositValue"], "depositValue");
    // The ticket that it redeems had put the coin into escrow. A failed redemption puts it back.
    case txTypes.arbitrumRetry:
      return receipt.isSuccess === true ? value : 0n;
    default:
      return mint;
  }
}

/**
 * Polygon: the coin that a state sync brings. Nodes that trace a state sync show the same transfers
 * as calls.
 */
export function syncedMoves(
  receipt: Pick<RpcReceipt, "logs">,
  shown: readonly CoinMove[],
): CoinMove[] {
  if (shown.length > 0) return [];
  return receipt.logs.flatMap((log) => {
    const move = readSynced(log);
    return move === null ? [] : [move];
  });
}

function readSynced(log: RpcLog): CoinMove | null {
  const { logIndex } = log;
  const [topic, , receiver] = log.topics;
  if (log.address !== polygonCoin || topic !== syncedTopic || receiver === undefined) return null;
  const amountAtomic = readQuantity(log.data.slice(0, 2 + 64), "amount of the synced coin");
  return { from: polygonCoin, to: addressIn(receiver), amountAtomic, logIndex, tracePath: null };
}
