import type { FastifyReply, FastifyRequest } from "fastify";
import { z } from "zod";
import {
  credentialOf,
  type OperatorSignIn,
  operatorNameIn,
  operatorRoleIn,
} from "../../domain/console/operator-sign-in.ts";
import { newSessionSecret } from "../../domain/console/session.ts";
import { Fault, faultIn } from "../../domain/fault.ts";
import type { Logger } from "../../runtime/logger.ts";
import { dataAnswer, dataBody } from "../../schema/answers.ts";
import { noQuery } from "../../schema/fields.ts";
import { type FailedCredentials, networkOf } from "../auth/failed-credentials.ts";
import { createInProgressLimit } from "../auth/limit-in-progress.ts";
import type { Web } from "../http/web.ts";
import type { SignInCookies } from "./cookie.ts";
import { enterAs } from "./enter.ts";
import type { IdentityProvider } from "./identity-provider.ts";
import { type EndDeps, endOld } from "./session-routes.ts";

export type OpenIdDeps = EndDeps & {
  /** Counts wrong answers by address. */
  failedAnswers: FailedCredentials;
  /** Null: operators cannot sign in at an identity provider. */
  signIn: (OperatorSignIn & { provider: IdentityProvider }) | null;
  onTheWay: SignInCookies;
  log: Logger;
};

/**
 * The number of answers of one address that are checked at a time. A wrong one counts only when the
 * provider has said so. Without this limit any number could be guessed meanwhile.
 */
const mostAtOnce = 5;

/**
 * Adds the routes for operators who sign in at an identity provider. /ways tells whether they can.
 */
export function openIdRoutes(web: Web, deps: OpenIdDeps): void {
  const { signIn, onTheWay, cookie } = deps;
  const schema = {
    querystring: noQuery,
    response: { 200: dataAnswer(z.object({ oidc: z.boolean() })) },
  };
  web.get("/ways", { schema }, async () => dataBody({ oidc: signIn !== null }));
  if (signIn === null) return;
  const { provider } = signIn;
  const inTurn = createInProgressLimit(mostAtOnce);

  web.get("/openid", async (request, reply) => {
    return answerWith(deps, { request, reply }, async () => {
      const secret = newSessionSecret();
      const url = await provider.begin(secret);
      onTheWay.add(request, reply, secret);
      return url;
    });
  });

  web.get("/openid/answer", async (request, reply) => {
    return answerWith(deps, { request, reply }, async () => {
      const state = new URLSearchParams(searchOf(request)).get("state") ?? "";
      const began = onTheWay.find(request, state);
      // No guess: nobody asks the provider. A picture on a page of others may ask for this address.
      if (began === null) throw notBegun();
      deps.failedAnswers.refuse(request.ip);
      const { secret } = await inTurn(networkOf(request.ip), () => {
        onTheWay.clear(request, reply, began);
        return comeBack(deps, signIn, request, began);
      });
      await endOld(deps, request);
      cookie.write(request, reply, secret);
      return "/console/";
    });
  });
}

/** Refusals that count for the address. */
const wrong: ReadonlySet<Fault["code"]> = new Set([
  "invalid_sign_in",
  "insufficient_user_authentication",
  "role_missing",
]);

/**
 * Begins the session of an operator who comes back from the provider.
 * @throws Fault `invalid_sign_in`, `role_missing`, `rate_limited`, and what the provider throws
 */
async function comeBack(
  deps: OpenIdDeps,
  signIn: NonNullable<OpenIdDeps["signIn"]>,
  request: FastifyRequest,
  began: string,
) {
  try {
    const claims = await signIn.provider.finish(searchOf(request), began);
    const [name, role] = [operatorNameIn(claims), operatorRoleIn(claims, signIn)];
    if (name === null)
      throw new Fault(
        "invalid_sign_in",
        "Your name at the identity provider has characters that cannot be shown: change it there.",
      );
    if (role === null)
      throw new Fault("role_missing", "You have no role here: ask the operator.", {
        facts: { name },
      });
    return await enterAs(deps, request, {
      subject: { kind: "operator", role },
      origin: { way: "oidc", name, credential: credentialOf(signIn) },
    });
  } catch (error) {
    const code = faultIn(error)?.code;
    if (code !== undefined && wrong.has(code)) deps.failedAnswers.note(request.ip);
    throw error;
  }
}

function searchOf({ url }: FastifyRequest): string {
  const [, search = ""] = url.split("?");
  return search;
}

function notBegun(): Fault {
  return new Fault("invalid_sign_in", "This browser began no such sign-in: sign in again here.");
}

type Exchange = { request: FastifyRequest; reply: FastifyReply };

/**
 * Redirects the browser. The sign-in page shows a refusal, because the browser follows these
 * addresses without a person.
 */
async function answerWith(
  { log }: OpenIdDeps,
  { request, reply }: Exchange,
  next: () => Promise<string>,
) {
  reply.header("cache-control", "no-store");
  try {
    return await reply.redirect(await next(), 303);
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    const { code, facts } = error;
    log.warn({ address: request.ip, code, ...facts, error }, "console.sign_in_refused");
    return reply.redirect(`/console/?refused=${code}`, 303);
  }
}
