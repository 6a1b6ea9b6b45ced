import { faultIn } from "../../domain/fault.ts";

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
 * The answer about a block that is read again. Null: no endpoint gives it any more. An endpoint
 * that does not have a block answers without one. Some do so for blocks that they have deleted.
 * @throws the error if an endpoint may answer later
 */
export async function orNone<Answer>(asked: Promise<Answer>): Promise<Answer | null> {
  const read = await askAgain(asked);
  if (read.kind === "read") return read.answer;
  if (read.kind === "failed" && faultIn(read.error)?.facts["isAbsent"] !== true) throw read.error;
  return null;
}

/**
 * The answer about a state of the chain, also that of a new block. Null: no endpoint has the state
 * any more. An endpoint that does not have the block yet has lost nothing: unlike `orNone`, this
 * throws then.
 * @throws every other error of the question
 */
export async function unlessGone<Answer>(asked: Promise<Answer>): Promise<Answer | null> {
  try {
    return await asked;
  } catch (error) {
    if (faultIn(error)?.code === "state_unavailable") return null;
    throw error;
  }
}
