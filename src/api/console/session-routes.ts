import type { FastifyRequest } from "fastify";
import { z } from "zod";
import type { ConsoleLedger } from "../../domain/console/console-ledger.ts";
import {
  businessRoles,
  type ConsoleSession,
  digestOf,
  type FoundSession,
  idleExpiryOf,
  keyBehind,
  madeBySession,
  newLink,
  operatorRoles,
  shownHolderOf,
  tokenOf,
  waysIn,
} from "../../domain/console/session.ts";
import { Fault, faultIn } from "../../domain/fault.ts";
import { keysOf } from "../../domain/keys-of.ts";
import { requireId } from "../../domain/not-found.ts";
import { onBehalfOf } from "../../runtime/on-behalf.ts";
import { dataAnswer, dataBody, idText, listAnswer, timeText } from "../../schema/answers.ts";
import { noQuery } from "../../schema/fields.ts";
import { businessOf } from "../auth/authenticate.ts";
import { ownerOfSession } from "../auth/owner.ts";
import type { Limits } from "../auth/rate-limit.ts";
import { actFor } from "../http/act-for.ts";
import { addScope } from "../http/scope.ts";
import type { Web } from "../http/web.ts";
import type { SessionCookie } from "./cookie.ts";
import { actorOf, type EnterDeps, enter } from "./enter.ts";
import { type ConsoleGuard, rights, sessionOf } from "./guard.ts";
import { requireSameOrigin } from "./same-origin.ts";

/** The needs of ending a session. */
export type EndDeps = EnterDeps & Pick<ConsoleLedger, "findSession"> & { cookie: SessionCookie };

export type SessionRoutesDeps = EndDeps &
  Pick<ConsoleLedger, "listSessions"> & {
    guard: ConsoleGuard;
    limits: Pick<Limits, "signIn" | "request">;
    isDevelopment: boolean;
    version: string;
  };

const roles = [...new Set([...keysOf(businessRoles), ...keysOf(operatorRoles)])] as const;
const kinds = ["business", "operator"] as const;

const own = z.object({
  id: idText,
  kind: z.enum(kinds),
  role: z.enum(roles),
  rights: z.array(z.enum(rights)),
  business: z.object({ id: idText, name: z.string() }).nullable(),
  token: z.string(),
  expires_at: timeText,
  idle_expires_at: timeText,
  development: z.boolean(),
  version: z.string(),
});

const listed = z.object({
  id: idText,
  kind: z.enum(kinds),
  role: z.enum(roles),
  way: z.enum(keysOf(waysIn)),
  name: z.string(),
  created_at: timeText,
  last_seen_at: timeText,
  expires_at: timeText,
  address: z.string(),
  current: z.boolean(),
});

const text = z.string().max(500);
const credential = z.union([
  z.strictObject({ link: text }),
  z.strictObject({ api_key: text }),
  z.strictObject({ admin_token: text }),
]);

/** Adds the routes to sign in, to read sessions, and to sign out. */
export function sessionRoutes(web: Web, deps: SessionRoutesDeps): void {
  const { cookie, guard } = deps;
  const schema = {
    querystring: noQuery,
    body: credential,
    response: { 201: dataAnswer(own) },
  };
  web.post("/session", { schema }, async (request, reply) => {
    requireSameOrigin(request);
    const { secret } = await enter(deps, request, request.body);
    await endOld(deps, request);
    cookie.write(request, reply, secret);
    return reply.code(201).send(dataBody(await presentOwn(deps, request, secret)));
  });
  addScope(web, "", (scope) => {
    scope.addHook("onRequest", guard.anybody);
    actFor(scope, (request) => ownerOfSession(sessionOf(request)));
    openSessionRoutes(scope, deps);
  });
  addScope(web, "", (scope) => {
    scope.addHook("onRequest", async (request) => {
      // A person who may make a key may let somebody in.
      await guard.business(request, "/api-keys");
      await deps.limits.request(request);
    });
    actFor(scope, (request) => ownerOfSession(sessionOf(request)));
    invitationRoute(scope, deps);
  });
}

const madeLink = z.object({ path: z.string(), expires_at: timeText });

/** Adds the route by which a business makes a link into its own console. */
function invitationRoute(web: Web, deps: SessionRoutesDeps): void {
  const schema = {
    querystring: noQuery,
    body: z.strictObject({ role: z.enum(keysOf(businessRoles)) }),
    response: { 201: dataAnswer(madeLink) },
  };
  web.post("/links", { schema }, async (request, reply) => {
    const session = sessionOf(request);
    const { role } = request.body;
    const businessId = businessOf(request);
    const { digest, path, expiresAt } = newLink(deps.clock.now());
    const audited = deps.audited(actorOf(session, request));
    await audited("business.console-link", async (ledger) => {
      const subject = { kind: "business", businessId, role } as const;
      const madeBy = madeBySession(session.id);
      const keyId = keyBehind(session.origin);
      await ledger.createLink({ digest, subject, madeBy, keyId, expiresAt });
      return { output: null, entry: { subject: businessId, details: { role, expiresAt } } };
    });
    return reply.code(201).send(dataBody({ path, expires_at: expiresAt.toISOString() }));
  });
}

/** Ends the session that the browser still has, when it begins another one. */
export async function endOld(deps: EndDeps, request: FastifyRequest): Promise<void> {
  const old = await findOld(deps, request);
  if (old === null) return;
  try {
    await onBehalfOf(ownerOfSession(old), () => end(deps, request, { session: old, id: old.id }));
  } catch (error) {
    // It has ended since it was found, as when a person signs in twice at once.
    if (faultIn(error)?.code !== "console_session_not_found") throw error;
  }
}

/** Null: there is none. Or the address has sent too many wrong secrets, so it is not looked up. */
async function findOld(deps: EndDeps, request: FastifyRequest): Promise<FoundSession | null> {
  const digest = deps.cookie.digest(request);
  if (digest === null) return null;
  try {
    return await deps.secrets.lookUp({ digest, address: request.ip }, () =>
      deps.findSession(digest, new Date(deps.clock.now())),
    );
  } catch (error) {
    if (faultIn(error)?.code === "rate_limited") return null;
    throw error;
  }
}

function openSessionRoutes(web: Web, deps: SessionRoutesDeps): void {
  const { cookie, guard, clock } = deps;
  const one = { querystring: noQuery, response: { 200: dataAnswer(own) } };
  web.get("/session", { schema: one }, async (request) =>
    dataBody(await presentOwn(deps, request, cookie.read(request))),
  );

  web.delete("/session", { schema: { querystring: noQuery } }, async (request, reply) => {
    const session = sessionOf(request);
    await end(deps, request, { session, id: session.id });
    cookie.clear(request, reply);
    return reply.code(204).send();
  });

  const list = { querystring: noQuery, response: { 200: listAnswer(listed) } };
  web.get("/sessions", { schema: list }, async (request) => {
    const session = sessionOf(request);
    const rows = await deps.listSessions(ownerOf(session), new Date(clock.now()));
    const open = rows.filter(({ origin }) => guard.scopesOf(origin) !== null);
    const data = open.map((row) => presentListed(row, session));
    return { success: true as const, data, next_cursor: null };
  });

  const params = z.strictObject({ id: z.string() });
  const ended = { querystring: noQuery, params };
  web.delete("/sessions/:id", { schema: ended }, async (request, reply) => {
    const session = sessionOf(request);
    const id = requireId(request.params.id, "console_session_not_found");
    const { subject, origin } = session;
    const isLimited = subject.role === "viewer" || guard.scopesOf(origin)?.length !== 0;
    if (isLimited && id !== session.id) {
      throw new Fault(
        "role_missing",
        "A viewer, or a token with scopes, may end its own session alone.",
      );
    }
    // A person who may revoke a key may end what it let in.
    if (subject.kind === "business" && id !== session.id)
      await guard.business(request, "/api-keys");
    await end(deps, request, { session, id });
    return reply.code(204).send();
  });
}

/** Ends the session with this id, which may be `session` itself. `session` is the actor. */
async function end(
  deps: EndDeps,
  request: FastifyRequest,
  { session, id }: { session: FoundSession; id: string },
): Promise<void> {
  const at = new Date(deps.clock.now());
  const isOwn = id === session.id;
  const action = isOwn ? "console.leave" : "console.revoke";
  await deps.audited(actorOf(session, request))(action, async (ledger) => {
    // A person may send a link to somebody and leave. A thief may keep a link until the revocation.
    await ledger.endSession(ownerOf(session), { id, at, withLinks: !isOwn });
    return { output: null, entry: { subject: id, details: {} } };
  });
}

function ownerOf({ subject }: ConsoleSession): { businessId: string | null } {
  return { businessId: subject.kind === "business" ? subject.businessId : null };
}

async function presentOwn(
  deps: SessionRoutesDeps,
  request: FastifyRequest,
  secret: string | null,
): Promise<z.output<typeof own>> {
  const at = new Date(deps.clock.now());
  const session = secret === null ? null : await deps.findSession(digestOf(secret), at);
  if (secret === null || session === null || session === "over") {
    throw new Fault("console_session_over", "The session was ended as it was looked at.");
  }
  const { id, subject, business, expiresAt } = session;
  const named =
    subject.kind === "business" && business !== null
      ? { id: subject.businessId, name: business.name }
      : null;
  return {
    id,
    kind: subject.kind,
    role: subject.role,
    rights: [...(await deps.guard.rightsOf(session, request.ip))],
    business: named,
    token: tokenOf(secret),
    expires_at: expiresAt.toISOString(),
    idle_expires_at: idleExpiryOf(session).toISOString(),

    development: deps.isDevelopment,
    version: deps.version,
  };
}

function presentListed(session: ConsoleSession, current: ConsoleSession): z.output<typeof listed> {
  const { id, subject, origin, address, createdAt, seenAt, expiresAt } = session;
  return {
    id,
    kind: subject.kind,
    role: subject.role,
    way: origin.way,
    name: shownHolderOf(session),
    created_at: createdAt.toISOString(),
    last_seen_at: seenAt.toISOString(),
    expires_at: expiresAt.toISOString(),

    address,
    current: id === current.id,
  };
}
