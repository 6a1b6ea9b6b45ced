import { createMPT } from "@ethereumjs/mpt";
import { RLP } from "@ethereumjs/rlp";
import { keccak256, toBytes } from "viem/utils";

// Blocks of Amsterdam with the roots, the bloom and the hashes that a real one has, all of them
// made by other libraries than ours: anvil does not know that fork yet.

export type Json = Record<string, unknown>;

/** What RLP encodes. */
type Item = Uint8Array | Item[];

export const hex = (bytes: Uint8Array): `0x${string}` => `0x${Buffer.from(bytes).toString("hex")}`;
export const quantity = (value: bigint | number): `0x${string}` => `0x${value.toString(16)}`;
const bytes = (data: unknown): Uint8Array => Buffer.from(String(data).slice(2), "hex");

/** A number without leading zeros; zero is empty. */
export function number(value: unknown): Uint8Array {
  const digits = BigInt(String(value)).toString(16);
  return digits === "0"
    ? new Uint8Array(0)
    : bytes(`0x${digits.length % 2 === 0 ? "" : "0"}${digits}`);
}

const noUncles = "0x1dcc4de8dec75d7aab85b567b6ccd41ad312451b948a7413f0a142fd40d49347";
const zeros = `0x${"0".repeat(64)}`;

async function rootOf(values: readonly Uint8Array[]): Promise<string> {
  const trie = await createMPT();
  for (const [index, value] of values.entries()) await trie.put(RLP.encode(index), value);
  return hex(trie.root());
}

/** EIP-2 bloom: three bits of 2,048 for each address and topic. */
export function bloomOf(logs: readonly Json[]): string {
  const bloom = Buffer.alloc(256);
  for (const { address, topics } of logs)
    for (const word of [address, ...(topics as unknown[])]) {
      const hash = toBytes(keccak256(bytes(word)));
      for (const at of [0, 2, 4]) {
        const bit = (((hash[at] ?? 0) << 8) | (hash[at + 1] ?? 0)) & 2047;
        bloom[255 - (bit >> 3)] = (bloom[255 - (bit >> 3)] ?? 0) | (1 << (bit & 7));
      }
    }
  return hex(bloom);
}

function receiptBytes(receipt: Json): Uint8Array {
  const logs = (receipt["logs"] as Json[]).map(
    ({ address, topics, data }): Item => [
      ...[bytes(address), (topics as unknown[]).map(bytes), bytes(data)],
    ],
  );
  const { status, cumulativeGasUsed, logsBloom } = receipt;
  const item = [number(status), number(cumulativeGasUsed), bytes(logsBloom), logs];
  return Buffer.concat([bytes("0x02"), RLP.encode(item)]);
}

/** keccak-256 of the list as RLP (EIP-7928). */
export function accessListHash(list: readonly Json[]): string {
  const changes = (account: Json, key: string, value: (change: Json) => Uint8Array) =>
    (account[key] as Json[]).map((change): Item => [number(change["index"]), value(change)]);
  const inValue = (change: Json) => number(change["value"]);
  const items = list.map(
    (account): Item => [
      bytes(account["address"]),
      (account["storageChanges"] as Json[]).map(
        (slot): Item => [...[number(slot["key"]), changes(slot, "changes", inValue)]],
      ),
      (account["storageReads"] as unknown[]).map(number),
      changes(account, "balanceChanges", inValue),
      changes(account, "nonceChanges", inValue),
      changes(account, "codeChanges", (change) => bytes(change["code"])),
    ],
  );
  return keccak256(RLP.encode(items));
}

const common = [
  ...["parentHash", "sha3Uncles", "miner", "stateRoot", "transactionsRoot", "receiptsRoot"],
  "logsBloom",
];

/** The header with its hash, as JSON-RPC answers it. `list` null: a block of before Amsterdam. */
export async function sealBlock(draft: {
  number: number;
  parentHash: string;
  stateRoot: string;
  miner: string;
  baseFee: bigint;
  /** As they were signed. */
  signed: readonly `0x${string}`[];
  receipts: readonly Json[];
  list: readonly Json[] | null;
}): Promise<Json> {
  const { signed, receipts, list } = draft;
  const header: Json = {
    parentHash: draft.parentHash,
    sha3Uncles: noUncles,
    miner: draft.miner,
    stateRoot: draft.stateRoot,
    transactionsRoot: await rootOf(signed.map(bytes)),
    receiptsRoot: await rootOf(receipts.map(receiptBytes)),
    logsBloom: bloomOf(receipts.flatMap(({ logs }) => logs as Json[])),

    difficulty: "0x0",
    number: quantity(draft.number),
    gasLimit: "0x1c9c380",
    gasUsed: quantity(21_000 * signed.length),
    timestamp: quantity(1_791_294_816 + 12 * draft.number),

    extraData: "0x",
    mixHash: zeros,
    nonce: "0x0000000000000000",

    baseFeePerGas: quantity(draft.baseFee),
    withdrawalsRoot: await rootOf([]),

    blobGasUsed: "0x0",
    excessBlobGas: "0x0",
    parentBeaconBlockRoot: zeros,
    requestsHash: zeros,
    ...(list === null
      ? {}
      : { blockAccessListHash: accessListHash(list), slotNumber: quantity(draft.number) }),
  };
  const numbers = (...names: string[]) => names.map((name) => number(header[name]));
  const data = (...names: string[]) => names.map((name) => bytes(header[name]));
  const item = [
    ...data(...common),
    ...numbers("difficulty", "number", "gasLimit", "gasUsed", "timestamp"),
    ...data("extraData", "mixHash", "nonce"),
    ...numbers("baseFeePerGas"),
    ...data("withdrawalsRoot"),
    ...numbers("blobGasUsed", "excessBlobGas"),
    ...data("parentBeaconBlockRoot", "requestsHash"),
    ...(list === null ? [] : [...data("blockAccessListHash"), ...numbers("slotNumber")]),
  ];
  return { ...header, hash: keccak256(RLP.encode(item)), uncles: [], withdrawals: [] };
}
