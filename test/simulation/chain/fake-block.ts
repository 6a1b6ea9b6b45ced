import { accessListItem } from "../../../src/chain/proof/encoding/access-list.ts";
import { data, quantity } from "../../../src/chain/proof/encoding/fields.ts";
import { encodeHeader } from "../../../src/chain/proof/encoding/header.ts";
import { encodeReceipt } from "../../../src/chain/proof/encoding/receipt.ts";
import { encodeRlp } from "../../../src/chain/proof/encoding/rlp.ts";
import { encodeSigned, encodeTransaction } from "../../../src/chain/proof/encoding/transaction.ts";
import type { Keccak } from "../../../src/chain/proof/hashing/keccak.ts";
import { bloomOf } from "../../../src/chain/proof/hashing/logs-bloom.ts";
import { indexedTrieRoot } from "../../../src/chain/proof/hashing/trie-root.ts";
import type { RpcLog, RpcReceipt } from "../../../src/chain/rpc/rpc-block.ts";
import { parseReceipt } from "../../../src/chain/rpc/rpc-block.ts";
import type { RpcObject } from "../../../src/chain/rpc/rpc-value.ts";
import type { Address } from "../../../src/domain/chain/address.ts";
import type { BlockHeader, Hash } from "../../../src/domain/chain/block.ts";
import { eip7708 } from "../../../src/domain/chain/profile.ts";
import { nativeAddress } from "../../../src/domain/money/movement.ts";
import { customers, signWith, tokens } from "./addresses.ts";
import { type Era, fieldsOf, logsCoin } from "./eras.ts";
import {
  blobGasOf,
  blobGasPrice,
  type Executed,
  type FakeTransaction,
  type Payment,
} from "./fake-transaction.ts";

// Blocks as a node answers them: with the roots, blooms and hashes that a real one has, so that
// whatever a forger changes shows. The encoding is Chainbell's own; that it is Ethereum's too is
// shown on real nodes elsewhere.

type Json = Record<string, unknown>;

export type BlockJson = {
  block: Json;
  receipts: Json[];
  debugTraces: Json[];
  parityTraces: Json[];
  /** Null where blocks have none yet. */
  accessList: RpcObject[] | null;
};

/** `Deposit(address,uint256)` of WETH9. */
const depositTopic = "0xe1fffcc4923d04b559f4d29a8bfc6cda04eb5b0d3c460751c2402c5c5cc9109c";
const transferTopic = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef";
const noUncles = "0x1dcc4de8dec75d7aab85b567b6ccd41ad312451b948a7413f0a142fd40d49347";
const chainIdHex = "0x1267";

export function toHex(value: bigint | number): string {
  return `0x${value.toString(16)}`;
}

function hexOf(bytes: Uint8Array): Hash {
  return `0x${Buffer.from(bytes).toString("hex")}`;
}

function word(hex: string): string {
  return `0x${hex.slice(2).padStart(64, "0")}`;
}

/** What every transaction offers for a unit of gas beside the base fee (EIP-1559), and so pays. */
export const priorityFee = 3n;

/** Signs: gives a transaction the hash that its content has. */
export function sign(
  keccak: Keccak,
  draft: Omit<FakeTransaction, "hash" | "raw"> & { salt: Hash },
): FakeTransaction {
  const { salt, ...content } = draft;
  const type = content.blobs > 0 ? 3 : 2;
  const blobs = {
    maxFeePerBlobGas: "0xff",
    blobVersionedHashes: Array.from({ length: content.blobs }, () => salt),
  };
  const raw: Json = {
    ...(type === 3 ? blobs : {}),

    type: toHex(type),
    chainId: chainIdHex,
    nonce: "0x0",
    gas: "0x5208",
    input: salt,

    maxPriorityFeePerGas: toHex(priorityFee),
    maxFeePerGas: "0xff",
    accessList: [],

    from: content.from,
    to: content.to,
    value: toHex(content.value),
  };
  const signed = keccak(encodeSigned({ type, raw }) ?? new Uint8Array(0));
  Object.assign(raw, signWith(content.from, signed));
  const hash = hexOf(keccak(encodeTransaction({ type, raw }) ?? new Uint8Array(0)));
  return { ...content, hash, raw: { ...raw, hash } };
}

export type Draft = {
  number: bigint;
  parentHash: Hash;
  timeMs: number;
  miner: Address;
  baseFee: bigint;
  executed: Executed[];
  withdrawals: { index: number; address: Address; amountGwei: bigint }[];
  era: Era;
  accessList: RpcObject[];
  /** Stands for all of the block that is not modelled here. */
  stateRoot: Hash;
};

/** Seals a block: its header, its hash, and whatever else a node answers about it. */
export function seal(keccak: Keccak, draft: Draft): { header: BlockHeader; json: BlockJson } {
  const { number, parentHash, timeMs, executed } = draft;
  const unsealed = receiptsOf(keccak, draft, draft.stateRoot);
  const logs = unsealed.flatMap((receipt) => parseReceipt(receipt).logs);
  const encoded = executed.map(
    ({ transaction: { raw } }) =>
      encodeTransaction({ type: Number(raw["type"]), raw }) ?? new Uint8Array(0),
  );
  const withdrawals = draft.withdrawals.map(({ index, address, amountGwei }) => ({
    index: toHex(index),
    validatorIndex: "0x1",
    address,
    amount: toHex(amountGwei),
  }));
  const paid = withdrawals.map((one) =>
    encodeRlp([
      quantity(one, "index"),
      quantity(one, "validatorIndex"),
      data(one, "address"),
      quantity(one, "amount"),
    ]),
  );
  const fields: Json = {
    number: toHex(number),
    parentHash,
    sha3Uncles: noUncles,
    miner: draft.miner,

    stateRoot: draft.stateRoot,
    transactionsRoot: hexOf(indexedTrieRoot(keccak, encoded)),
    receiptsRoot: hexOf(indexedTrieRoot(keccak, unsealed.map(bytesOfReceipt))),

    logsBloom: hexOf(bloomOf(keccak, logs)),
    difficulty: "0x0",
    gasLimit: "0x1c9c380",

    gasUsed: "0x0",
    timestamp: toHex(Math.floor(timeMs / 1000)),
    extraData: "0x",
    nonce: "0x0000000000000000",

    mixHash: draft.stateRoot,
    baseFeePerGas: toHex(draft.baseFee),
    withdrawalsRoot: hexOf(indexedTrieRoot(keccak, paid)),
    ...fieldsOf(draft.era, {
      number,
      any: draft.stateRoot,
      accessListHash: hexOf(keccak(encodeRlp(accessListItem(draft.accessList)))),
    }),
  };
  const known = encodeHeader("ethereum", fields) ?? new Uint8Array(0);
  // What the header has more, its hash covers in a way that nobody here can rebuild.
  const unknown = Buffer.from(draft.era === "tomorrow" ? draft.stateRoot : "");
  const hash = hexOf(keccak(Buffer.concat([known, unknown])));
  const place = { blockHash: hash, blockNumber: toHex(number) };
  const transactions = executed.map(({ transaction }, index) => ({
    ...transaction.raw,
    ...place,
    transactionIndex: toHex(index),
  }));
  const json = {
    block: { ...fields, hash, uncles: [], transactions, withdrawals },
    receipts: receiptsOf(keccak, draft, hash),
    debugTraces: executed.map(debugTraceOf),
    parityTraces: executed.flatMap((one, index) => parityTracesOf(one, { index, ...place })),
    accessList: logsCoin(draft.era) ? draft.accessList : null,
  };
  const secondsMs = Math.floor(timeMs / 1000) * 1000;
  return { header: { number, hash, parentHash, timeMs: secondsMs }, json };
}

function bytesOfReceipt(raw: Json): Uint8Array {
  return encodeReceipt(parseReceipt(raw) as RpcReceipt);
}

function receiptsOf(keccak: Keccak, draft: Draft, blockHash: Hash): Json[] {
  const { executed, baseFee } = draft;
  let cumulative = 0n;
  return executed.map((one, index) => {
    const { transaction, isSuccess, firstLog } = one;
    const { hash: transactionHash, from, to, gas } = transaction;
    cumulative += gas;
    const logs = contentsOfLogs(one).map((content, place) => ({
      ...content,
      transactionHash,
      blockHash,

      logIndex: toHex(firstLog + place),
      transactionIndex: toHex(index),
      removed: false,
      blockNumber: toHex(draft.number),
    }));
    const logsBloom = hexOf(bloomOf(keccak, logs as unknown as RpcLog[]));
    return {
      type: transaction.raw["type"],
      transactionHash,
      transactionIndex: toHex(index),
      blockHash,
      from,
      to,

      blockNumber: toHex(draft.number),
      contractAddress: null,
      logs,
      logsBloom,

      status: isSuccess ? "0x1" : "0x0",
      gasUsed: toHex(gas),
      cumulativeGasUsed: toHex(cumulative),
      effectiveGasPrice: toHex(baseFee + priorityFee),
      ...(transaction.blobs > 0
        ? { blobGasUsed: toHex(blobGasOf(transaction)), blobGasPrice: toHex(blobGasPrice) }
        : {}),
    };
  });
}

function contentsOfLogs(executed: Executed) {
  const { coinLogged, logged } = executed;
  const transfers = [...coinLogged, ...logged].map(({ asset, from, to, amountAtomic }) => ({
    address: asset === nativeAddress ? eip7708.address : asset,
    data: word(toHex(amountAtomic)),
    topics: [transferTopic, word(from), word(to)],
  }));
  return executed.hasNoise ? [...transfers, ...noiseOf(executed)] : transfers;
}

/**
 * In the name of a token that is watched, of a customer: that a collectible changed hands, with an
 * id and no amount (ERC-721); and that coin was deposited, as WETH9 says it, which this token is
 * not.
 */
function noiseOf({ transaction }: Executed) {
  const [holder = transaction.from] = customers;
  const address = tokens[0] ?? holder;
  const topics = [transferTopic, word(transaction.from), word(holder), word("0x7")];
  return [
    { address, data: "0x", topics },
    { address, data: word("0x9"), topics: [depositTopic, word(holder)] },
  ];
}

/** The call tree below the top frame. Frames that move nothing stand before those that do. */
type Frame = {
  type: string;
  from: string;
  to: string;
  value: bigint;
  error?: string;
  calls: Frame[];
};

function framesOf({ transaction, internal }: Executed): Frame[] {
  const { from, to, value, isNoisy } = transaction;
  const call = (payment: Payment): Frame => {
    const { from, to, amountAtomic } = payment;
    return { type: "CALL", from, to, value: amountAtomic, calls: [] };
  };
  const made = internal.map(call);
  if (!isNoisy) return made;
  const lost = { asset: "native", from: to, to: from, amountAtomic: 77n } as const;
  return [
    // Some nodes let it show the value of the call around it.
    { type: "DELEGATECALL", from: to, to: from, value, calls: [] },
    { ...call(lost), error: "execution reverted", calls: [call(lost)] },
    // One level further down, in a call that moves nothing itself.
    { type: "CALL", from: to, to: from, value: 0n, calls: made },
  ];
}

/** Where the internal transfer of that place is in the call tree. */
export function tracePathOf({ transaction }: Executed, place: number): string {
  return transaction.isNoisy ? `2.${place}` : `${place}`;
}

function debugTraceOf(executed: Executed): Json {
  const { from, to, value, hash } = executed.transaction;
  const write = (frame: Frame): Json => {
    const { type, from, to, value, error, calls } = frame;
    const failed = error === undefined ? {} : { error };
    return { type, from, to, value: toHex(value), ...failed, calls: calls.map(write) };
  };
  const failed = executed.isSuccess ? {} : { error: "execution reverted" };
  const calls = framesOf(executed).map(write);
  return {
    txHash: hash,
    result: { type: "CALL", from, to, value: toHex(value), ...failed, calls },
  };
}

function parityTracesOf(
  executed: Executed,
  place: { index: number; blockHash: Hash; blockNumber: string },
): Json[] {
  const { from, to, value, hash } = executed.transaction;
  const { index, blockHash, blockNumber } = place;
  const top: Frame = { type: "CALL", from, to, value, calls: framesOf(executed) };
  if (!executed.isSuccess) top.error = "Reverted";
  const write = (frame: Frame, traceAddress: number[]): Json[] => {
    const { type, from, to, value, error, calls } = frame;
    const callType = type === "CALL" ? "call" : "delegatecall";
    const own = {
      type: "call",
      action: { from, to, value: toHex(value), callType },
      traceAddress,

      blockHash,
      blockNumber,
      transactionHash: hash,
      transactionPosition: index,
      ...(error === undefined ? { result: {} } : { error }),
    };
    return [own, ...calls.flatMap((child, at) => write(child, [...traceAddress, at]))];
  };
  return write(top, []);
}
