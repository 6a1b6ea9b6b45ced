import type { BlockHeader } from "../../domain/chain/block.ts";
import { faultIn } from "../../domain/fault.ts";
import type { LoadedBlock } from "../../domain/money/movement.ts";
import type { ChainSource } from "../../domain/watch/chain-source.ts";

/**
 * The outcome of a question about a block that is read again. `gone`: every endpoint works, and
 * none has the answer, for example because the traces of old blocks are deleted. `failed`: the
 * endpoints fail now, and may answer later.
 */
export type AskedAgain<Answer> =
  | { kind: "read"; answer: Answer }
  | { kind: "gone" | "failed"; error: unknown };

/**
 * Asks about a block that is read again. Endpoints may have deleted a part of it since.
 * @throws every error that is not an endpoint's
 */
export async function askAgain<Answer>(asked: Promise<Answer>): Promise<AskedAgain<Answer>> {
  try {
    return { kind: "read", answer: await asked };
  } catch (error) {
    const fault = faultIn(error);
    if (fault?.code === "state_unavailable") return { kind: "gone", error };
    if (fault?.code !== "rpc_unavailable" && fault?.code !== "rpc_inconsistent") throw error;
    const failure = fault.facts["failure"];
    const isRefused = failure === "refused" || failure === "unsupported";
    return { kind: isRefused ? "gone" : "failed", error };
  }
}

/**
 * Reads the canonical block of a height again. Null: no endpoint has it any more.
 * @throws Fault `rpc_unavailable`, `rpc_inconsistent` if an endpoint may have it later
 */
export async function loadAgain(
  chain: Pick<ChainSource, "loadBlock">,
  number: bigint,
): Promise<LoadedBlock | null> {
  const loaded = await askAgain(chain.loadBlock(number));
  if (loaded.kind === "failed") throw loaded.error;
  return loaded.kind === "read" ? loaded.answer : null;
}

/**
 * Reads the header of a height again. Null: no endpoint has it any more.
 * @throws Fault `rpc_unavailable`, `rpc_inconsistent` if an endpoint may have it later
 */
export async function headerAgain(
  chain: Pick<ChainSource, "header">,
  number: bigint,
): Promise<BlockHeader | null> {
  return orNone(await askAgain(chain.header(number)));
}

/**
 * The answer. Null: it is gone. An endpoint that does not have a block answers without one. Some do
 * so for blocks that they have deleted.
 * @throws the error if an endpoint may answer later
 */
export function orNone<Answer>(asked: AskedAgain<Answer>): Answer | null {
  if (asked.kind === "read") return asked.answer;
  if (asked.kind === "failed" && faultIn(asked.error)?.facts["isAbsent"] !== true)
    throw asked.error;
  return null;
}
