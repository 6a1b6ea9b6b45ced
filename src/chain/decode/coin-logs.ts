import type { Address } from "../../domain/chain/address.ts";
import type { NativeAlias } from "../../domain/chain/profile.ts";
import type { RpcBlock, RpcLog, RpcReceipt } from "../rpc/rpc-block.ts";
import { decodeTransfer } from "./decode-logs.ts";
import type { CoinMove } from "./income/movement-makers.ts";

/** EIP-7708: the address that logs each move of the coin. */
const eip7708Address: Address = "0xfffffffffffffffffffffffffffffffffffffffe";

const decimalsOfCoin = 18;

export type Aliases = ReadonlyMap<Address, NativeAlias>;

/**
 * How the logs of an alias count in this very block. Since Amsterdam (EIP-7928 came with EIP-7708) the logs of the coin
 * are every move of it, and lie under the receipts' root: they count, and values and traces do not. A field of zeros is
 * no sign of Amsterdam: Monad has one.
 */
function aliasIn(
  block: Pick<RpcBlock, "raw">,
  aliases: Aliases,
  address: Address,
): NativeAlias | undefined {
  const alias = aliases.get(address);
  const isCoinLog = address === eip7708Address && alias?.logs === "repeats";
  return isCoinLog && isAmsterdam(block) ? { ...alias, logs: "all" } : alias;
}

function isAmsterdam({ raw }: Pick<RpcBlock, "raw">): boolean {
  const hash = raw["blockAccessListHash"];
  return typeof hash === "string" && /[1-9a-f]/i.test(hash.slice(2));
}

/** Whether every move of the coin in that block is a log, so that values and traces only say it again. */
function logsAreAll(block: Pick<RpcBlock, "raw">, aliases: Aliases): boolean {
  return [...aliases.keys()].some((address) => aliasIn(block, aliases, address)?.logs === "all");
}

/**
 * The moves of the coin in one transaction: what its value and its traces say (`shown`), completed by the logs of the
 * coin's aliases as each of them counts. Nothing counts twice, whichever way it is said.
 */
export function coinMoves(
  shown: readonly CoinMove[],
  answered: { block: Pick<RpcBlock, "raw">; receipt: RpcReceipt; firstIndex: number },
  aliases: Aliases,
): CoinMove[] {
  if (aliases.size === 0) return [...shown];
  const { block, receipt, firstIndex } = answered;
  // A transfer of an account to itself changes nothing and need not be logged.
  const moves = logsAreAll(block, aliases)
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

/** Takes the first move that the log says again. A token with fewer decimals rounds, up where fractions add up. */
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
