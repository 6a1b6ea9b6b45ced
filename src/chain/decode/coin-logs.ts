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

/** The way the logs of an alias count in this very block. */
function aliasIn(block: ListedHeader, aliases: Aliases, address: Address): NativeAlias | undefined {
  const alias = aliases.get(address);
  if (alias?.logs !== "amsterdam") return alias;
  return { ...alias, logs: block.accessListHash === null ? "repeats" : "all" };
}

/** True if every move of the coin in that block is a log. Values and traces then only repeat it. */
export function isCoinLogged(block: ListedHeader, aliases: Aliases): boolean {
  return [...aliases.keys()].some((address) => aliasIn(block, aliases, address)?.logs === "all");
}

/**
 * Holds the coin that transactions themselves move against the logs of EIP-7708, where only these
 * logs count. A chain with the header of Amsterdam but without its logs must not be read as if
 * nothing moved.
 * @throws Fault `rpc_inconsistent`, naming the transaction
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
      const logged = log.address === address ? decodeTransfer(log, log.logIndex) : null;
      return logged?.from === move.from && logged.to === move.to;
    });
    if (isLogged !== true)
      throw refusedBlock(block, `transaction ${index} moves coin without a log of it (EIP-7708)`);
  }
}

/** The coin that a transaction itself sends, without internal transfers. */
export function topLevel(transaction: RpcTransaction, receipt: RpcReceipt): CoinMove[] {
  const { from, value: amountAtomic } = transaction;
  const to = transaction.to ?? receipt.contractAddress;
  if (receipt.isSuccess !== true || amountAtomic === 0n || to === null) return [];
  return [{ from, to, amountAtomic, tracePath: null, logIndex: null }];
}

/**
 * The moves of the coin in one transaction: what its value and its traces say (`shown`), completed
 * by the logs of the coin's aliases as each of them counts. Nothing counts twice, whichever way it
 * is said.
 */
export function coinMoves(
  shown: readonly CoinMove[],
  answered: { block: ListedHeader; receipt: RpcReceipt; firstIndex: number },
  aliases: Aliases,
): CoinMove[] {
  if (aliases.size === 0) return [...shown];
  const { block, receipt, firstIndex } = answered;
  // A transfer of an account to itself changes nothing and need not be logged.
  const moves = isCoinLogged(block, aliases)
    ? shown.filter(({ from, to }) => from === to)
    : [...shown];
  const unlogged = { completes: [...moves], shares: [...moves] };
  for (const [place, log] of receipt.logs.entries()) {
    const alias = aliasIn(block, aliases, log.address);
    if (alias === undefined || alias.logs === "repeats") continue;
    const move = readMove(log, firstIndex + place, alias);
    if (move === null) continue;
    if (alias.logs === "completes" && take(unlogged.completes, move, alias)) continue;
    if (alias.logs === "shares" && take(unlogged.shares, move, alias)) continue;
    moves.push(move);
    if (alias.logs === "completes") unlogged.shares.push(move);
  }
  return moves;
}

function readMove(log: RpcLog, logIndex: number, alias: NativeAlias): CoinMove | null {
  const transfer = decodeTransfer(log, logIndex);
  if (transfer === null) return null;
  const { from, to } = transfer;
  if (alias.reserve !== undefined && (from === alias.reserve || to === alias.reserve)) return null;
  const amountAtomic = transfer.amountAtomic * scaleOf(alias);
  return { from, to, amountAtomic, logIndex, tracePath: null };
}

/**
 * Takes the first move that the log says again. A token with fewer decimals rounds, up where
 * fractions add up.
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
