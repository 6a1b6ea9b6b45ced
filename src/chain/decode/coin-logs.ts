import type { Address } from "../../domain/chain/address.ts";
import { eip7708, type NativeAlias } from "../../domain/chain/profile.ts";
import { refusedBlock } from "../proof/refuse-block.ts";
import type {
  ListedHeader,
  RpcBlock,
  RpcLog,
  RpcReceipt,
  RpcTransaction,
} from "../rpc/rpc-block.ts";
import { decodeTransfer } from "./decode-logs.ts";
import type { CoinMove } from "./income/movement-makers.ts";

const decimalsOfCoin = 18;

export type Aliases = ReadonlyMap<Address, NativeAlias>;

/** The alias of an address, with the way in which its logs count in this block. */
function aliasIn(block: ListedHeader, aliases: Aliases, address: Address): NativeAlias | undefined {
  const alias = aliases.get(address);
  if (alias?.logs !== "amsterdam") return alias;
  return { ...alias, logs: block.accessListHash === null ? "repeats" : "all" };
}

/**
 * True if logs show every move of the coin in that block. Values and traces then only repeat them.
 */
export function isCoinLogged(block: ListedHeader, aliases: Aliases): boolean {
  return [...aliases.keys()].some((address) => aliasIn(block, aliases, address)?.logs === "all");
}

/**
 * Where only the logs of EIP-7708 count, compares them with the coin that the transactions
 * themselves move. Otherwise a chain with Amsterdam's header but without its logs would seem to
 * move nothing.
 * @throws Fault `rpc_inconsistent`, which names the transaction
 */
export function requireCoinLogs(
  block: RpcBlock,
  receipts: readonly RpcReceipt[],
  aliases: Aliases,
): void {
  const address = eip7708.address;
  if (aliases.get(address)?.logs !== "amsterdam" || !isCoinLogged(block, aliases)) return;
  for (const [index, transaction] of block.transactions.entries()) {
    const receipt = receipts[index];
    const [move] = receipt === undefined ? [] : topLevel(transaction, receipt);
    if (move === undefined || move.from === move.to) continue;
    const isLogged = receipt?.logs.some((log) => {
      const logged = log.address === address ? decodeTransfer(log) : null;
      return logged?.from === move.from && logged.to === move.to;
    });
    if (isLogged !== true)
      throw refusedBlock(block, `transaction ${index} moves coin without a log of it (EIP-7708)`);
  }
}

/** The coin that a transaction itself sends, without its internal transfers. */
export function topLevel(transaction: RpcTransaction, receipt: RpcReceipt): CoinMove[] {
  const { from, value: amountAtomic } = transaction;
  const to = transaction.to ?? receipt.contractAddress;
  if (receipt.isSuccess !== true || amountAtomic === 0n || to === null) return [];
  return [{ from, to, amountAtomic, tracePath: null, logIndex: null }];
}

/**
 * The moves of the coin in one transaction. `shown` are those of its value and its traces. Logs of
 * the coin's aliases add moves, as each alias counts. A move that both show counts once.
 */
export function coinMoves(
  shown: readonly CoinMove[],
  answered: { block: ListedHeader; receipt: RpcReceipt },
  aliases: Aliases,
): CoinMove[] {
  if (aliases.size === 0) return [...shown];
  const { block, receipt } = answered;
  // A transfer of an account to itself changes nothing, and need not be logged.
  const moves = isCoinLogged(block, aliases)
    ? shown.filter(({ from, to }) => from === to)
    : [...shown];
  const unlogged = { completes: [...moves], shares: [...moves] };
  for (const log of receipt.logs) {
    const alias = aliasIn(block, aliases, log.address);
    if (alias === undefined || alias.logs === "repeats") continue;
    const move = readMove(log, alias);
    if (move === null) continue;
    if (alias.logs === "completes" && take(unlogged.completes, move, alias)) continue;
    if (alias.logs === "shares" && take(unlogged.shares, move, alias)) continue;
    moves.push(move);
    if (alias.logs === "completes") unlogged.shares.push(move);
  }
  return moves;
}

function readMove(log: RpcLog, alias: NativeAlias): CoinMove | null {
  const transfer = decodeTransfer(log);
  if (transfer === null) return null;
  const { from, to, logIndex } = transfer;
  if (alias.reserve !== undefined && (from === alias.reserve || to === alias.reserve)) return null;
  const amountAtomic = transfer.amountAtomic * scaleOf(alias);
  return { from, to, amountAtomic, logIndex, tracePath: null };
}

/**
 * Removes the first move that the log repeats. A token with fewer decimals rounds, and rounds up if
 * fractions add up to one.
 */
function take(moves: CoinMove[], logged: CoinMove, alias: NativeAlias): boolean {
  const scale = scaleOf(alias);
  const at = moves.findIndex(({ from, to, amountAtomic }) => {
    const difference = logged.amountAtomic - amountAtomic;
    const isEqual = difference < scale && -difference < scale;
    return isEqual && from === logged.from && to === logged.to;
  });
  if (at === -1) return false;
  moves.splice(at, 1);
  return true;
}

function scaleOf({ decimals }: NativeAlias): bigint {
  return 10n ** BigInt(Math.max(0, decimalsOfCoin - decimals));
}
