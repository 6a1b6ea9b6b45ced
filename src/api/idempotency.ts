import { createHash } from "node:crypto";
import type { FastifyReply, FastifyRequest } from "fastify";
import {
  answerBoundTo,
  type Claim,
  type IdempotencyLedger,
  type KeyedOutcome,
} from "../domain/business/idempotency.ts";
import { Fault, type FaultCode } from "../domain/fault.ts";
import { inSlices } from "../domain/in-slices.ts";
import { invalidField } from "../domain/text.ts";
import { decryptSecret, encryptSecret, type Keyring } from "../domain/webhook/secret.ts";
import { jsonOf, textOf } from "./http/large-json.ts";
import type { Web } from "./http/web.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** The claim of a request with an Idempotency-Key, until it is answered. */
    claim: Claim | null;
  }
}

export type IdempotencyDeps = IdempotencyLedger & { keyring: Keyring };

/** The faults that a request may get because of its Idempotency-Key. */
const refusals = [
  "idempotency_key_in_use",
  "idempotency_answer_lost",
  "idempotency_key_reused",
] as const satisfies readonly FaultCode[];

/**
 * Lets every later POST of this scope take an Idempotency-Key: docs/contract.md#idempotency. Stored
 * answers are encrypted, since some of them show a secret.
 */
export function answerOnce(
  scope: Web,
  deps: IdempotencyDeps,
  ownerOf: (request: FastifyRequest) => string,
): void {
  scope.addHook("onRoute", (route) => {
    if (route.method !== "POST") return;
    route.schema = { ...route.schema, refuses: [...(route.schema?.refuses ?? []), ...refusals] };
  });
  // Runs after validation, so that a malformed request does not use its key up.
  scope.addHook("preHandler", async (request, reply) => {
    const key = request.method === "POST" ? keyIn(request) : null;
    if (key === null) return;
    const owner = ownerOf(request);
    const outcome = await deps.claimRequest({ owner, key, requestHash: await hashOf(request) });
    if (outcome.kind === "claimed") request.claim = outcome.claim;
    else
      return answerAgain(reply, outcome, (text) =>
        decryptSecret(deps.keyring, text, answerBoundTo(owner)),
      );
  });
  scope.addHook("preSerialization", async (request, reply, payload) => {
    const { claim } = request;
    if (claim === null) return payload;
    request.claim = null;
    const { statusCode: status } = reply;
    if (usesNoKey(status)) await deps.releaseRequest(claim);
    else {
      const text = jsonOf(payload);
      const answerCiphertext = encryptSecret(deps.keyring, text, answerBoundTo(claim.owner));
      await deps.keepAnswer(claim, { status, answerCiphertext });
    }
    return payload;
  });
}

/**
 * True if the request did not use its key up: it was malformed, too early, or failed in the server.
 */
function usesNoKey(status: number): boolean {
  return status === 400 || status === 429 || status >= 500;
}

function answerAgain(
  reply: FastifyReply,
  outcome: Exclude<KeyedOutcome, { kind: "claimed" }>,
  decrypt: (ciphertext: string) => string,
): FastifyReply {
  switch (outcome.kind) {
    case "answered":
      return reply
        .code(outcome.status)
        .header("idempotency-replayed", "true")
        .type("application/json; charset=utf-8")
        .send(decrypt(outcome.answerCiphertext));
    case "in_use":
      throw new Fault(
        "idempotency_key_in_use",
        "The first request with this Idempotency-Key has no answer yet: send it again in a moment.",
      );
    case "other_request":
      throw new Fault(
        "idempotency_key_reused",
        "This Idempotency-Key belongs to another request: use a new key.",
      );
    case "answer_lost":
      throw new Fault(
        "idempotency_answer_lost",
        "The change was made; its answer was lost. Read the resource. Do not retry with a new key.",
      );
  }
}

const rule = "expected 1 to 255 visible ASCII characters";

/**
 * The key, without the quotes that the draft asks for (RFC 8941 section 3.3.3). Null: there is
 * none.
 */
function keyIn({ headers }: FastifyRequest): string | null {
  const given = headers["idempotency-key"];
  if (given === undefined) return null;
  const text = typeof given === "string" ? given : "";
  const key = /^"([\x20-\x21\x23-\x7e]*)"$/.exec(text)?.[1] ?? text;
  if (/^[\x20-\x7e]{1,255}$/.test(key)) return key;
  throw invalidField("idempotency-key", rule);
}

async function hashOf({ method, url, body }: FastifyRequest): Promise<string> {
  const json = await inSlices(textOf(body ?? null));
  const text = `[${JSON.stringify(method)},${JSON.stringify(url)},${json}]`;
  return createHash("sha256").update(text, "utf8").digest("hex");
}
