import { RLP } from "@ethereumjs/rlp";
import { layoutOf } from "../../src/chain/proof/encoding/header-fields.ts";
import type { RecordedBalance, Recording } from "../../src/chain/recording/recording.ts";
import type { Answer } from "./plain.ts";

type Fixture = {
  blocks: { number: number; hash: string; rlp: string }[];
  rpcCalls: { method: string; params: unknown[]; result: unknown }[];
};

type Decoded = Uint8Array | Decoded[];

const numbers = new Set([
  "difficulty",
  "number",
  "gasLimit",
  "gasUsed",
  "timestamp",
  "baseFeePerGas",
  "extDataGasUsed",
  "blockGasCost",
  "blobGasUsed",
  "excessBlobGas",
  "timestampMilliseconds",
  "minDelayExcess",
]);

/** A block of a file of blocks as RLP, with what a node answered of it. */
export function avalancheRecording(
  given: unknown,
  { chainId, number }: { chainId: number; number: bigint },
): Recording {
  const fixture = given as Fixture;
  const block = fixture.blocks.find((one) => BigInt(one.number) === number);
  if (block === undefined) throw new Error(`the file has no block ${number}`);
  const [header, , , , extra] = RLP.decode(block.rlp as `0x${string}`) as Decoded[];
  const asked = (method: string, first: string) =>
    fixture.rpcCalls.find((call) => call.method === method && call.params[0] === first)?.result;
  const receipts = asked("eth_getBlockReceipts", toHex(number)) as Answer[];
  const transactions = receipts.map(({ transactionHash }) =>
    asked("eth_getTransactionByHash", String(transactionHash)),
  );
  return {
    chainId,
    block: {
      ...headerOf(header as Decoded[]),
      hash: block.hash,
      transactions,
      blockExtraData: hexOf(extra),
    },
    receipts,
    traces: {
      kind: "debug",
      answer: asked("debug_traceBlockByHash", block.hash) as unknown[],
    },
    balances: balancesAround(fixture, number),
  };
}

/** A header as JSON-RPC would say it. */
function headerOf(fields: Decoded[]): Answer {
  const layout = layoutOf("avalanche", {});
  const names = [...(layout?.required ?? []), ...(layout?.later ?? [])].map(([name]) => name);
  const entries = fields.map((field, index) => {
    const name = names[index] ?? "";
    const bytes = hexOf(field);
    return [name, numbers.has(name) ? toHex(BigInt(bytes === "0x" ? 0 : bytes)) : bytes];
  });
  return Object.fromEntries(entries);
}

/** Fees go to the account that burns them, which shows nothing of who paid. */
const burning = "0x0100";

function balancesAround({ rpcCalls }: Fixture, number: bigint): RecordedBalance[] {
  const at = (method: string, address: unknown, height: bigint) =>
    rpcCalls.find(
      ({ method: name, params }) =>
        name === method && params[0] === address && params.at(-1) === toHex(height),
    )?.result;
  const addresses = rpcCalls.flatMap(({ method, params }) =>
    method === "eth_getBalance" ? [String(params[0])] : [],
  );
  return [...new Set(addresses)]
    .filter((address) => !address.startsWith(burning))
    .map((address) => {
      const proof = at("eth_getProof", address, number) as Answer | undefined;
      return {
        address: address.toLowerCase() as `0x${string}`,
        transaction: null,
        beforeAtomic: BigInt(String(at("eth_getBalance", address, number - 1n) ?? 0)),
        afterAtomic: BigInt(String(at("eth_getBalance", address, number) ?? 0)),
        proof: (proof?.["accountProof"] ?? null) as RecordedBalance["proof"],
      };
    });
}

function hexOf(field: Decoded | undefined): string {
  const bytes = field instanceof Uint8Array ? field : new Uint8Array(0);
  return `0x${Buffer.from(bytes).toString("hex")}`;
}

function toHex(number: bigint): string {
  return `0x${number.toString(16)}`;
}
