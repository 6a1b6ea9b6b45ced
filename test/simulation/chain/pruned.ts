import { RpcRequestError } from "viem";
import type { FakeBlock } from "./fake-chain.ts";
import type { View } from "./node-view.ts";

/** An endpoint that forgets logs, and what it answers of blocks whose logs it has forgotten. */
export type Pruned = {
  at: number;
  /** How many blocks below the head it still has. */
  keeps: number;
  logs: "error 4444" | "empty";
  receipts: "there" | "error 4444" | "empty" | "null";
  /** It says what it has (`eth_capabilities`). */
  saysSo: boolean;
};

/** Whether it has forgotten the logs of a height. */
function isForgotten(pruned: Pruned | null, height: number, head: number): pruned is Pruned {
  return pruned !== null && height < head - pruned.keeps;
}

/**
 * What a node of that view answers to eth_getLogs: what it has, as if there was no more, or that it
 * is gone.
 */
export function logsOf(
  { url, view, pruned }: { url: string; view: View; pruned: Pruned | null },
  filter: { fromBlock: string; toBlock: string; address: string[]; topics: [string[]] },
): unknown[] {
  const { branch, head } = view;
  const [from, to] = [Number(filter.fromBlock), Number(filter.toBlock)];
  if (isForgotten(pruned, from, head) && pruned.logs === "error 4444") throw gone(url);
  const blocks = branch.slice(from, Math.min(to, head) + 1);
  return blocks
    .filter(({ header }) => !isForgotten(pruned, Number(header.number), head))
    .flatMap(({ json }) => json.receipts.flatMap((receipt) => receipt["logs"] as Log[]))
    .filter(
      ({ address, topics: [topic = ""] }) =>
        filter.address.includes(address) && filter.topics[0].includes(topic),
    );
}

type Log = { address: string; topics: string[] };

/** What it answers of the receipts of a block. */
export function receiptsOf(
  { url, view, pruned }: { url: string; view: View; pruned: Pruned },
  block: FakeBlock,
): readonly unknown[] | null {
  const { receipts } = block.json;
  if (!isForgotten(pruned, Number(block.header.number), view.head)) return receipts;
  switch (pruned.receipts) {
    case "there":
      return receipts;
    case "empty":
      return [];
    case "null":
      return null;
    case "error 4444":
      throw gone(url);
  }
}

/** EIP-4444: history that is not kept. */
function gone(url: string): RpcRequestError {
  const error = { code: 4444, message: "pruned history unavailable" };
  return new RpcRequestError({ body: {}, url, error });
}
