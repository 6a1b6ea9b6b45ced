import { RpcRequestError } from "viem";
import type { RpcCall } from "./rpc-call.ts";
import type { RpcObject } from "./rpc-value.ts";

/** A call of a batch. Its answer has the same id. */
export type NumberedCall = RpcCall & { id: number };

type AnswerTo = (call: NumberedCall) => unknown;

/** Calls that go together, and their answers once they are there. */
type Batch = { calls: NumberedCall[]; answers: Promise<AnswerTo> };

/** The most JSON-RPC calls in one batch. Common providers accept as many. */
const mostInBatch = 100;

/**
 * Sends calls of the same moment as one batch. Each call gets the answer with its id, whatever the
 * order of the answers. It fails if there is no such answer.
 * @param send answers the endpoint's answer to the whole batch
 */
export function createBatches(
  url: string,
  send: (calls: NumberedCall[]) => Promise<unknown>,
): (call: RpcCall) => Promise<unknown> {
  let open: Batch | null = null;

  function begin(): Batch {
    const calls: NumberedCall[] = [];
    const answers = new Promise((resolve) => setTimeout(resolve)).then(async () => {
      if (open?.calls === calls) open = null;
      return readAnswers(await send(calls), url);
    });
    return { calls, answers };
  }

  return async (call) => {
    open ??= begin();
    const { calls, answers } = open;
    const numbered = { ...call, id: calls.length + 1 };
    calls.push(numbered);
    if (calls.length === mostInBatch) open = null;
    return (await answers)(numbered);
  };
}

/** Finds answers by their ids. There are none if an endpoint refuses the batch as a whole. */
function readAnswers(body: unknown, url: string): AnswerTo {
  const byId = new Map<string, unknown>();
  for (const answer of Array.isArray(body) ? body : [])
    if (isObject(answer)) byId.set(String(answer["id"]), answer);
  return (call) => {
    const answer = byId.get(String(call.id));
    if (answer === undefined) throw new Error("The batch has no answer to the call.");
    return resultOf(answer, { call, url });
  };
}

/**
 * The result in an answer of JSON-RPC.
 * @throws RpcRequestError if the answer is an error
 */
export function resultOf(answer: unknown, of: { call: RpcCall; url: string }): unknown {
  if (!isObject(answer)) throw new Error("The answer is no object.");
  const { error, result } = answer;
  if (!error) return result;
  const { call, url } = of;
  throw new RpcRequestError({ body: call, error: error as RpcRequestError, url });
}

function isObject(value: unknown): value is RpcObject {
  return typeof value === "object" && value !== null;
}
