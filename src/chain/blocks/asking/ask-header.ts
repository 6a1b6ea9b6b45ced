import type { BlockHeader } from "../../../domain/chain/block.ts";
import type { ConfirmationTag } from "../../../domain/chain/confirmation.ts";
import { Fault } from "../../../domain/fault.ts";
import type { BlockAnswer, TaggedBlock } from "../../../domain/watch/chain-source.ts";
import { type Endpoint, failureKindIn } from "../../endpoints/endpoint.ts";
import { parseHead, parseHeader } from "../../rpc/rpc-block.ts";
import { toQuantity } from "../../rpc/rpc-value.ts";
import { askBlock, requireNumber } from "./load-block.ts";

// Headers as one endpoint answers them, without a proof. The caller decides whether to trust them.

/** The endpoint's head. */
export async function askHead(endpoint: Endpoint): Promise<BlockHeader> {
  return noteHead(endpoint, await askBlock(endpoint, "latest", false));
}

/** The endpoint's head with its transactions, so that the block is not asked for again. */
export async function askWholeHead(
  endpoint: Endpoint,
): Promise<BlockHeader & { block: BlockAnswer }> {
  const answer = await askBlock(endpoint, "latest", true);
  return { ...noteHead(endpoint, answer), block: { endpoint: endpoint.name, answer } };
}

function noteHead(endpoint: Endpoint, answer: unknown): BlockHeader {
  const head = parseHead(answer);
  endpoint.head = head.number;
  endpoint.announced = head;
  endpoint.noteHead(head);
  return head;
}

/** The header at a height. */
export async function askHeader(
  endpoint: Endpoint,
  number: bigint,
  how: "alone" | "batched",
): Promise<BlockHeader> {
  const header = parseHeader(await askBlock(endpoint, toQuantity(number), false, how));
  return requireNumber(endpoint, header, number);
}

/** Consecutive headers, each the parent of the next. */
export async function askHeaders(
  endpoint: Endpoint,
  from: bigint,
  to: bigint,
): Promise<BlockHeader[]> {
  const count = Number(to - from) + 1;
  const numbers = Array.from({ length: count }, (_, index) => from + BigInt(index));
  const headers = await Promise.all(
    numbers.map((number) => askHeader(endpoint, number, "batched")),
  );
  headers.reduce((parent, child) => {
    if (child.parentHash === parent.hash) return child;
    throw new Fault(
      "rpc_inconsistent",
      `Headers ${parent.number} and ${child.number} of endpoint ${endpoint.name} are of two branches.`,
    );
  });
  return headers;
}

/**
 * The endpoint's block with a tag. Null: the chain has no such tag, or no block with it yet. Some
 * endpoints then refuse, and others answer without a block. A tagged block above the endpoint's own
 * head counts as missing too.
 */
export async function askTagged(
  endpoint: Endpoint,
  tag: ConfirmationTag,
): Promise<TaggedBlock | null> {
  try {
    const block = parseHeader(await askBlock(endpoint, tag, false));
    const tagged = { ...block, saidBy: endpoint.host };
    if (endpoint.head !== null && tagged.number <= endpoint.head) return tagged;
    const head = await askHead(endpoint);
    return tagged.number <= head.number ? tagged : null;
  } catch (error) {
    const kind = failureKindIn(error);
    if (kind === "unreachable" || kind === "throttled") throw error;
    return null;
  }
}
