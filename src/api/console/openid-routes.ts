import type { FastifyReply, FastifyRequest } from "fastify";
import { z } from "zod";
import {
  type OperatorSignIn,
  operatorNameIn,
  operatorRoleIn,
} from "../../domain/console/operator-sign-in.ts";
import { newSessionSecret } from "../../domain/console/session.ts";
import { Fault } from "../../domain/fault.ts";
import type { Logger } from "../../runtime/logger.ts";
import { dataAnswer, dataBody } from "../../schema/answers.ts";
import { noQuery } from "../../schema/fields.ts";
import type { Web } from "../http/web.ts";
import type { SessionCookie } from "./cookie.ts";
import { type EnterDeps, enterAs } from "./enter.ts";
import type { IdentityProvider } from "./identity-provider.ts";

export type OpenIdDeps = EnterDeps & {
  /** Null: operators do not sign in at an identity provider. */
  signIn: (OperatorSignIn & { provider: IdentityProvider }) | null;
  /** Of a browser that is on its way to the provider and back. */
  onTheWay: SessionCookie;
  cookie: SessionCookie;
  log: Logger;
};

/** How operators sign in at an identity provider, and which ways in there are at all. */
export function openIdRoutes(web: Web, deps: OpenIdDeps): void {
  const { signIn, onTheWay, cookie } = deps;
  const schema = {
    querystring: noQuery,
    response: { 200: dataAnswer(z.object({ oidc: z.boolean() })) },
  };
  web.get("/ways", { schema }, async () => dataBody({ oidc: signIn !== null }));
  if (signIn === null) return;
  const { provider } = signIn;

  web.get("/openid", async (request, reply) => {
    return answerWith(deps, { request, reply }, async () => {
      const secret = newSessionSecret();
      const url = await provider.begin(secret);
      onTheWay.write(request, reply, secret);
      return url;
    });
  });

  web.get("/openid/answer", async (request, reply) => {
    return answerWith(deps, { request, reply }, async () => {
      deps.failed.refuse(request.ip);
      const began = onTheWay.read(request);
      onTheWay.clear(request, reply);
      const { secret } = await comeBack(deps, signIn, request, began);
      cookie.write(request, reply, secret);
      return "/console/";
    });
  });
}

/** Counts what was refused by address, as wrong credentials are. @throws Fault `invalid_sign_in`, `role_missing`, and what the provider throws */
async function comeBack(
  deps: OpenIdDeps,
  signIn: NonNullable<OpenIdDeps["signIn"]>,
  request: FastifyRequest,
  began: string | null,
) {
  try {
    if (began === null)
      throw new Fault("invalid_sign_in", "The sign-in was not begun in this browser: begin again.");
    const [, search = ""] = request.url.split("?");
    const claims = await signIn.provider.finish(search, began);
    const [name, role] = [operatorNameIn(claims), operatorRoleIn(claims, signIn)];
    if (role === null)
      throw new Fault("role_missing", "You have no role here: ask whoever runs this.", {
        facts: { name },
      });
    return await enterAs(deps, request, {
      subject: { kind: "operator", role },
      origin: { way: "oidc", name },
    });
  } catch (error) {
    if (!isOurs(error, "identity_provider_unavailable")) deps.failed.note(request.ip);
    throw error;
  }
}

type Exchange = { request: FastifyRequest; reply: FastifyReply };

/** A browser follows this by itself: what was refused it is shown by the page where one signs in. */
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

function isOurs(error: unknown, code: Fault["code"]): boolean {
  return error instanceof Fault && error.code === code;
}
