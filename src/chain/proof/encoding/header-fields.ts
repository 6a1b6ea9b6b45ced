import type { HeaderEncoding } from "../../../domain/chain/header-encoding.ts";
import type { RpcObject } from "../../rpc/rpc-value.ts";
import { toQuantity } from "../../rpc/rpc-value.ts";
import { data, quantity } from "./fields.ts";

/** A field's name in JSON-RPC, and how its value is encoded. */
type HeaderField = readonly [name: string, encode: (raw: RpcObject, key: string) => Uint8Array];

/** The fields of a header: those of every block, then those of later forks, oldest first. */
export type HeaderLayout = { required: readonly HeaderField[]; later: readonly HeaderField[] };

const common: readonly HeaderField[] = [
  ["parentHash", data],
  ["sha3Uncles", data],
  ["miner", data],
  ["stateRoot", data],
  ["transactionsRoot", data],
  ["receiptsRoot", data],
  ["logsBloom", data],
  ["difficulty", quantity],
  ["number", quantity],
  ["gasLimit", quantity],
  ["gasUsed", quantity],
  ["timestamp", quantity],
  ["extraData", data],
];

const sealed: readonly HeaderField[] = [...common, ["mixHash", data], ["nonce", data]];

const ethereum: HeaderLayout = {
  required: sealed,
  later: [
    // London, EIP-1559
    ["baseFeePerGas", quantity],
    // Shanghai, EIP-4895
    ["withdrawalsRoot", data],
    // Cancun, EIP-4844 and EIP-4788
    ["blobGasUsed", quantity],
    ["excessBlobGas", quantity],
    ["parentBeaconBlockRoot", data],
    // Prague, EIP-7685
    ["requestsHash", data],
    // Amsterdam, EIP-7928 and EIP-7843
    ["blockAccessListHash", data],
    ["slotNumber", quantity],
  ],
};

/** AuRa as OpenEthereum and Nethermind encode it. Nodes name its two fields in two ways. */
const aura: Record<"parity" | "nethermind", HeaderLayout> = {
  parity: {
    required: [...common, ["step", stepQuantity], ["signature", signatureData]],
    later: ethereum.later,
  },
  nethermind: {
    required: [...common, ["auraStep", quantity], ["auraSeal", data]],
    later: ethereum.later,
  },
};

/** The AuRa step. OpenEthereum writes it in decimal digits. */
function stepQuantity(raw: RpcObject, key: string): Uint8Array {
  const step = raw[key];
  const isDecimal = typeof step === "string" && /^\d+$/.test(step);
  return quantity({ [key]: isDecimal ? toQuantity(BigInt(step)) : step }, key);
}

/** The AuRa signature. OpenEthereum leaves out its 0x. */
function signatureData(raw: RpcObject, key: string): Uint8Array {
  const text = raw[key];
  const isBare = typeof text === "string" && !text.startsWith("0x");
  return data({ [key]: isBare ? `0x${text}` : text }, key);
}

/**
 * Avalanche C-Chain: coreth's header, with the fields of Granite (ACP-226) and Helicon (ACP-194,
 * ACP-283).
 */
const avalanche: HeaderLayout = {
  required: [...sealed, ["extDataHash", data]],
  later: [
    ["baseFeePerGas", quantity],
    ["extDataGasUsed", quantity],
    ["blockGasCost", quantity],
    ["blobGasUsed", quantity],
    ["excessBlobGas", quantity],
    ["parentBeaconBlockRoot", data],
    ["timestampMilliseconds", quantity],
    ["minDelayExcess", quantity],
    ["targetExponent", quantity],
    ["minPriceExponent", quantity],
    ["settledHeight", quantity],
    ["settledGasUnix", quantity],
    ["settledGasNumerator", quantity],
    ["settledExcess", quantity],
  ],
};

/** The layout of a header; null: a header of that encoding cannot be rebuilt. */
export function layoutOf(encoding: HeaderEncoding, raw: RpcObject): HeaderLayout | null {
  switch (encoding) {
    case "ethereum":
    case "bor":
    case "tempo":
      return ethereum;
    case "aura":
      if (raw["auraSeal"] !== undefined) return aura.nethermind;
      return raw["signature"] !== undefined ? aura.parity : ethereum;
    case "avalanche":
      return avalanche;
    case "own":
      return null;
  }
}

/** Fields of a block in JSON that its header does not have, or that nodes add for convenience. */
const beside = new Set([
  "hash",
  "size",
  "totalDifficulty",
  "transactions",
  "transactionCount",
  "uncles",
  "withdrawals",
  "author",
  "sealFields",
  "mixHash",
  "nonce",
  "milliTimestamp",
  "timestampMilliseconds",
  "timestampMillis",
  "timestampNano",
  "blockTimestamp",
  "blockExtraData",
  "epoch",
  "l1BlockNumber",
  "l1BatchNumber",
  "l1BatchTimestamp",
  "sendCount",
  "sendRoot",
  "mainBlockGeneralGasLimit",
  "sharedGasLimit",
  "timestampMillisPart",
  "consensusContext",
  "auraStep",
  "auraSeal",
  "step",
  "signature",
]);

/**
 * Fields of a block that this version does not know. They are of a later fork, or of one kind of
 * node.
 */
export function unknownFields(encoding: HeaderEncoding, raw: RpcObject): string[] {
  const layout = layoutOf(encoding, raw) ?? ethereum;
  const known = new Set([...layout.required, ...layout.later].map(([name]) => name));
  return Object.keys(raw).filter(
    (key) => !known.has(key) && !beside.has(key) && raw[key] !== null && raw[key] !== undefined,
  );
}
