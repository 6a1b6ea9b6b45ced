import { type Address, zeroAddress } from "../domain/address.ts";
import type { NativeAlias } from "../domain/known-chains.ts";
import { type Movement, nativeAddress } from "../domain/movement.ts";
import type { RpcLog } from "./rpc-block.ts";

/** keccak-256 of `Transfer(address,address,uint256)` (ERC-20). */
const transferTopic = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef";

/** keccak-256 of `Deposit(address,uint256)` and `Withdrawal(address,uint256)` (WETH9). */
const wrapTopic = "0xe1fffcc4923d04b559f4d29a8bfc6cda04eb5b0d3c460751c2402c5c5cc9109c";
const unwrapTopic = "0x7fcf532c15f0a6db0bd6d0e038bea71d30d808c7d98cb3bf7268a95bf5081b65";

const none: ReadonlySet<number> = new Set();

type IndexedLog = RpcLog & { index: number };

/**
 * The movements that the logs of one transaction tell, in order: Transfers of whatever token, and the wrappings of a
 * WETH9 that no Transfer tells as well: some variants log a Deposit beside the mint, or a Withdrawal beside the burn.
 * `index` is a log's place in the block.
 */
export function decodeLogs(
  logs: readonly IndexedLog[],
  aliases: ReadonlyMap<Address, NativeAlias["logs"]>,
): Movement[] {
  const untold = untoldWrappings(logs);
  return logs.flatMap((log) => decodeLog(log, { untold, alias: aliases.get(log.address) }) ?? []);
}

function decodeLog(
  log: IndexedLog,
  context: { untold: ReadonlySet<number>; alias: NativeAlias["logs"] | undefined },
): Movement | null {
  const transfer = decodeTransfer(log);
  if (transfer === null) return context.untold.has(log.index) ? decodeWrapping(log) : null;
  switch (context.alias) {
    case "repeats":
      return null;
    case "moves":
      return { ...transfer, asset: nativeAddress };
    case undefined:
      return transfer;
  }
}

/**
 * Which wrappings stand alone. A mint and a Deposit of one token, holder and amount are one movement, whichever comes
 * first; what of one kind is left over stands for itself.
 */
function untoldWrappings(logs: readonly IndexedLog[]): ReadonlySet<number> {
  if (!logs.some(({ topics }) => topics[0] === wrapTopic || topics[0] === unwrapTopic)) return none;
  const told = new Map<string, number>();
  const wrappings: { index: number; key: string }[] = [];
  for (const log of logs) {
    const wrapping = decodeWrapping(log);
    if (wrapping !== null) wrappings.push({ index: log.index, key: keyOf(wrapping) });
    const transfer = wrapping === null ? decodeTransfer(log) : null;
    if (transfer?.from === zeroAddress || transfer?.to === zeroAddress) {
      told.set(keyOf(transfer), (told.get(keyOf(transfer)) ?? 0) + 1);
    }
  }
  const alone = wrappings.filter(({ key }) => {
    const left = told.get(key) ?? 0;
    told.set(key, left - 1);
    return left <= 0;
  });
  return new Set(alone.map(({ index }) => index));
}

function keyOf({ asset, from, to, amountAtomic }: Movement): string {
  return `${asset}/${from}/${to}/${amountAtomic}`;
}

/** An ERC-20 Transfer: three topics and one word. An ERC-721 one has four topics and is not money. */
function decodeTransfer(log: IndexedLog): Movement | null {
  const [topic, from, to] = log.topics;
  if (topic !== transferTopic || from === undefined || to === undefined) return null;
  if (log.topics.length !== 3 || !isWord(log.data)) return null;
  return { ...movementOf(log), kind: "transfer", from: addressIn(from), to: addressIn(to) };
}

/** A Deposit mints for its holder and a Withdrawal burns of it: two topics and one word. */
function decodeWrapping(log: IndexedLog): Movement | null {
  const [topic, holder] = log.topics;
  if (holder === undefined || log.topics.length !== 2 || !isWord(log.data)) return null;
  const common = { ...movementOf(log), kind: "wrap" } as const;
  if (topic === wrapTopic) return { ...common, from: zeroAddress, to: addressIn(holder) };
  if (topic === unwrapTopic) return { ...common, from: addressIn(holder), to: zeroAddress };
  return null;
}

function movementOf(log: IndexedLog) {
  return {
    asset: log.address,
    txHash: log.transactionHash,
    amountAtomic: BigInt(log.data),
    logIndex: log.index,
    tracePath: null,
  };
}

function isWord(data: string): boolean {
  return data.length === 2 + 64;
}

/** The last 20 bytes of a 32-byte word. */
function addressIn(word: string): Address {
  return `0x${word.slice(-40)}`;
}
