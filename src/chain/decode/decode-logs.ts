import { type Address, zeroAddress } from "../../domain/chain/address.ts";
import type { Hash } from "../../domain/chain/block.ts";
import type { Movement } from "../../domain/money/movement.ts";
import type { RpcLog } from "../rpc/rpc-block.ts";

/** keccak-256 of `Transfer(address,address,uint256)` (ERC-20). */
const transferTopic = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef";

/** keccak-256 of `Deposit(address,uint256)` and `Withdrawal(address,uint256)` (WETH9). */
const wrapTopic = "0xe1fffcc4923d04b559f4d29a8bfc6cda04eb5b0d3c460751c2402c5c5cc9109c";
const unwrapTopic = "0x7fcf532c15f0a6db0bd6d0e038bea71d30d808c7d98cb3bf7268a95bf5081b65";

/**
 * The first topics of the logs of each kind of movement. A new kind without topics does not
 * compile.
 */
const topicsOf = {
  transfer: [transferTopic],
  wrap: [wrapTopic, unwrapTopic],
} as const satisfies Record<Exclude<Movement["kind"], "fee" | "income">, readonly Hash[]>;

/** The first topics of all logs that show a movement of a token. */
export const movingTopics: readonly Hash[] = Object.values(topicsOf).flat();

/**
 * The token movements that the logs of one transaction show, in order. These are Transfers of every
 * token except the chain's coin, and the wrappings of a WETH9. A wrapping that a Transfer shows too
 * is left out: that Transfer names it as its echo. Some variants log a Deposit beside the mint, or
 * a Withdrawal beside the burn.
 */
export function decodeLogs(
  logs: readonly RpcLog[],
  isCoin: (address: Address) => boolean,
): Movement[] {
  const { alone, echoes } = pairWrappings(logs);
  const movements: Movement[] = [];
  for (const [place, log] of logs.entries()) {
    if (isCoin(log.address)) continue;
    const movement = decodeTransfer(log) ?? (alone.has(place) ? decodeWrapping(log) : null);
    if (movement === null) continue;
    const echoLogIndex = echoes.get(place);
    movements.push(echoLogIndex === undefined ? movement : { ...movement, echoLogIndex });
  }
  return movements;
}

/**
 * `alone`: the places of wrappings without a Transfer of their own. `echoes`: the log index of each
 * other wrapping, by the place of its Transfer.
 */
type Wrappings = { alone: ReadonlySet<number>; echoes: ReadonlyMap<number, number> };

const noWrappings: Wrappings = { alone: new Set(), echoes: new Map() };

/**
 * Pairs wrappings with Transfers. A mint and a Deposit of the same token, holder and amount count
 * as one movement, in either order. Each further one of either kind stands alone.
 */
function pairWrappings(logs: readonly RpcLog[]): Wrappings {
  if (!logs.some(({ topics }) => topics[0] === wrapTopic || topics[0] === unwrapTopic))
    return noWrappings;
  const transfers = new Map<string, number[]>();
  const wrappings: { place: number; logIndex: number; key: string }[] = [];
  for (const [place, log] of logs.entries()) {
    const wrapping = decodeWrapping(log);
    const { logIndex } = log;
    if (wrapping !== null) wrappings.push({ place, logIndex, key: keyOf(wrapping) });
    const transfer = wrapping === null ? decodeTransfer(log) : null;
    if (transfer?.from === zeroAddress || transfer?.to === zeroAddress) {
      const equal = transfers.get(keyOf(transfer));
      if (equal === undefined) transfers.set(keyOf(transfer), [place]);
      else equal.push(place);
    }
  }
  const alone = new Set<number>();
  const echoes = new Map<number, number>();
  for (const { place, logIndex, key } of wrappings) {
    const transfer = transfers.get(key)?.pop();
    if (transfer === undefined) alone.add(place);
    else echoes.set(transfer, logIndex);
  }
  return { alone, echoes };
}

function keyOf({ asset, from, to, amountAtomic }: Movement): string {
  return `${asset}/${from}/${to}/${amountAtomic}`;
}

/**
 * Decodes an ERC-20 Transfer: three topics and one word. A Transfer of ERC-721 has four topics, and
 * is not money.
 */
export function decodeTransfer(log: RpcLog): Movement | null {
  const [topic, from, to] = log.topics;
  if (topic !== transferTopic || from === undefined || to === undefined) return null;
  if (log.topics.length !== 3 || !isWord(log.data)) return null;
  return {
    kind: "transfer",
    asset: log.address,
    txHash: log.transactionHash,
    from: addressIn(from),
    to: addressIn(to),
    amountAtomic: BigInt(log.data),
    logIndex: log.logIndex,
    tracePath: null,
  };
}

/**
 * Decodes a Deposit, which mints for its holder, or a Withdrawal, which burns: two topics and one
 * word.
 */
function decodeWrapping(log: RpcLog): Movement | null {
  const [topic, word] = log.topics;
  if (word === undefined || log.topics.length !== 2 || !isWord(log.data)) return null;
  if (topic !== wrapTopic && topic !== unwrapTopic) return null;
  const holder = addressIn(word);
  return {
    kind: "wrap",
    asset: log.address,
    txHash: log.transactionHash,
    from: topic === wrapTopic ? zeroAddress : holder,
    to: topic === wrapTopic ? holder : zeroAddress,
    amountAtomic: BigInt(log.data),
    logIndex: log.logIndex,
    tracePath: null,
  };
}

function isWord(data: string): boolean {
  return data.length === 2 + 64;
}

/** The last 20 bytes of a 32-byte word. */
export function addressIn(word: string): Address {
  return `0x${word.slice(-40)}`;
}
