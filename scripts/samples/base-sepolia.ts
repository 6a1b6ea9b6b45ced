import type { RecordedBalance, Recording } from "../../src/chain/recording/recording.ts";
import type { Answer } from "./plain.ts";

type Account = { balance?: string };
type Difference = { pre: Record<string, Account>; post: Record<string, Account> };

/**
 * A folder with a block, with a trace of each transaction, and with what each one changed in the
 * state (prestateTracer).
 */
export function baseSepoliaRecording(
  read: (file: string) => unknown,
  { chainId }: { chainId: number },
): Recording {
  const block = read("block.json") as Answer;
  const hashes = (block["transactions"] as Answer[]).map(({ hash }) => String(hash));
  return {
    chainId,
    block,
    receipts: null,
    traces: {
      kind: "debug",
      answer: hashes.map((txHash) => ({ txHash, result: read(`traces_${txHash}.json`) })),
    },
    balances: hashes.flatMap((hash, index) =>
      balancesIn(read(`state-diffs_${hash}.json`) as Difference, index),
    ),
  };
}

function balancesIn({ pre, post }: Difference, transaction: number): RecordedBalance[] {
  return Object.entries(post).flatMap(([address, { balance }]) =>
    balance === undefined
      ? []
      : [
          {
            address: address as `0x${string}`,
            transaction,
            beforeAtomic: BigInt(pre[address]?.balance ?? "0x0"),
            afterAtomic: BigInt(balance),
            proof: null,
          },
        ],
  );
}
