import type { FastifyRequest } from "fastify";
import type { KeyHolder } from "../../domain/business/api-key.ts";
import type {
  AuditedForConsole,
  ConsoleChanges,
  ConsoleLedger,
  NewSession,
} from "../../domain/console/console-ledger.ts";
import {
  digestOf,
  isLinkForm,
  nameOf,
  newSessionSecret,
  type SessionOrigin,
  type SessionSubject,
} from "../../domain/console/session.ts";
import { Fault } from "../../domain/fault.ts";
import { idAt } from "../../domain/id.ts";
import type { Clock } from "../../runtime/clock.ts";
import { onBehalfOf } from "../../runtime/on-behalf.ts";
import type { Administrators } from "../auth/administrator.ts";
import { type Authentication, requireOpenBusiness } from "../auth/authenticate.ts";
import { ownerOfSession } from "../auth/owner.ts";
import type { Limits } from "../auth/rate-limit.ts";
import type { Trusted } from "../auth/trusted.ts";

export type EnterDeps = Pick<ConsoleLedger, "findLink"> & {
  audited: AuditedForConsole;
  authentication: Authentication;
  administrators: Administrators;
  /** The trusted secrets of sessions and links. */
  secrets: Trusted;
  limits: Pick<Limits, "signIn">;
  /** True in development mode. Only there may operators sign in with links. */
  isDevelopment: boolean;
  clock: Pick<Clock, "now">;
};

/** The credential with which a person signs in. */
export type Shown = { link: string } | { api_key: string } | { admin_token: string };

type Entered = { secret: string };

/**
 * Signs a person in, with an audit entry, and returns the secret of the new session.
 * @throws Fault `invalid_console_link`; `invalid_api_key` and the other refusals of a key;
 *   `invalid_admin_token`; `business_suspended`; `business_unverified`
 * @throws Fault `rate_limited` if the address has sent too many wrong credentials, or the owner
 *   began too many sessions
 */
export async function enter(
  deps: EnterDeps,
  request: FastifyRequest,
  shown: Shown,
): Promise<Entered> {
  if ("link" in shown) return enterByLink(deps, request, shown.link);
  const who =
    "api_key" in shown
      ? await byKey(deps, request, shown.api_key)
      : await byAdminToken(deps, request, shown.admin_token);
  return enterAs(deps, request, who);
}

/**
 * Begins a session of a known person, with an audit entry. Every way to sign in ends here.
 * @param take runs in the same transaction, for example to use up a link
 * @throws Fault `rate_limited` if the owner began too many sessions; and what `take` throws
 */
export async function enterAs(
  deps: Pick<EnterDeps, "audited" | "limits" | "clock">,
  request: FastifyRequest,
  who: Who,
  take: (ledger: ConsoleChanges) => Promise<void> = async () => {},
): Promise<Entered> {
  const secret = newSessionSecret();
  const at = new Date(deps.clock.now());
  const session = { id: idAt(at.getTime()), digest: digestOf(secret), address: request.ip, at };
  const begun = { ...session, ...who };
  const owner = ownerOfSession(begun);
  await deps.limits.signIn(owner);
  return onBehalfOf(owner, () =>
    deps.audited(actorOf(begun, request))("console.enter", async (ledger) => {
      await take(ledger);
      return begin(ledger, begun, secret);
    }),
  );
}

/** The actor of a change of sessions, for the audit trail. */
export function actorOf(
  session: Parameters<typeof nameOf>[0],
  { ip: address }: FastifyRequest,
): Parameters<AuditedForConsole>[0] {
  const { subject } = session;
  const isBusiness = subject.kind === "business";
  const businessId = isBusiness ? subject.businessId : null;
  return { name: nameOf(session), via: isBusiness ? "console" : "http", address, businessId };
}

type Who = { subject: SessionSubject; origin: SessionOrigin };

async function byKey(deps: EnterDeps, request: FastifyRequest, key: string): Promise<Who> {
  // Signing in needs only a key that may read.
  const asked = { method: "GET", ip: request.ip, path: "/" };
  const holder = await deps.authentication.holderOfKey(key, asked);
  const { businessId, keyId } = holder;
  return {
    subject: { kind: "business", businessId, role: roleOf(holder) },
    origin: { way: "api_key", keyId },
  };
}

/**
 * The role of a session that began with a key: a viewer if the key may only read. Each later
 * request checks again what the key may do.
 */
function roleOf({ scopes }: KeyHolder): "viewer" | "developer" {
  return scopes.length > 0 && scopes.every((scope) => scope === "read") ? "viewer" : "developer";
}

async function byAdminToken(deps: EnterDeps, request: FastifyRequest, token: string): Promise<Who> {
  const administrator = deps.administrators.byToken(token);
  if (administrator === null) throw await deps.administrators.refuse(request);
  const { name, role, credential } = administrator;
  return { subject: { kind: "operator", role }, origin: { way: "admin_token", name, credential } };
}

/**
 * Uses up the link and begins the session in one transaction. Only one of several callers with the
 * same link gets in. A refusal by a limit does not use the link up.
 */
async function enterByLink(
  deps: EnterDeps,
  request: FastifyRequest,
  link: string,
): Promise<Entered> {
  const { secrets } = deps;
  const shown = { digest: digestOf(link), address: request.ip };
  const refused = () =>
    new Fault(
      "invalid_console_link",
      "The link was used, has expired or is wrong: ask the operator for another one.",
    );
  const at = new Date(deps.clock.now());
  const found = await secrets.lookUp(shown, async () => {
    const known = isLinkForm(link) ? await deps.findLink(shown.digest, at) : null;
    return known?.subject.kind === "operator" && !deps.isDevelopment ? null : known;
  });
  if (found === null) throw refused();
  const { subject, madeBy, keyId, business } = found;
  if (business !== null) requireOpenBusiness(business);
  const who = { subject, origin: { way: "link", madeBy, keyId } } as const;
  return enterAs(deps, request, who, async (ledger) => {
    if (await ledger.takeLink(shown.digest, at)) return;
    secrets.noteWrong(shown);
    throw refused();
  });
}

async function begin(
  ledger: Pick<ConsoleChanges, "beginSession">,
  session: NewSession,
  secret: string,
) {
  await ledger.beginSession(session);
  const { subject, origin } = session;
  const who = subject.kind === "business" ? { businessId: subject.businessId } : {};
  const { way } = origin;
  const how =
    way === "link" ? { madeBy: origin.madeBy } : way === "api_key" ? { keyId: origin.keyId } : {};
  const details = { ...who, role: subject.role, way, ...how };
  return { output: { secret }, entry: { subject: session.id, details } };
}
