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
  /** The secrets of sessions, and links. */
  secrets: Trusted;
  limits: Pick<Limits, "signIn">;
  /** True in development mode, which alone takes links of operators. */
  isDevelopment: boolean;
  clock: Pick<Clock, "now">;
};

/** The proof with which a person signs in. */
export type Shown = { link: string } | { api_key: string } | { admin_token: string };

type Entered = { secret: string };

/**
 * Lets a person in, on record, and answers the secret of the new session.
 * @throws Fault `invalid_console_link`; `invalid_api_key` and the other refusals of a key;
 *   `invalid_admin_token`; `business_suspended`; `business_unverified`; and `rate_limited` where
 *   the address has shown too many wrong ones, or too many sessions of the same owner began
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
 * Begins a session of a known person, and puts it on record. Every way in ends here.
 * @param take what else belongs to the transaction, such as taking a link
 * @throws Fault `rate_limited` where too many sessions of the same owner began; and what `take`
 *   throws
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
  // The console begins with reading.
  const asked = { method: "GET", ip: request.ip, path: "/" };
  const holder = await deps.authentication.holderOfKey(key, asked);
  const { businessId, keyId } = holder;
  return {
    subject: { kind: "business", businessId, role: roleOf(holder) },
    origin: { way: "api_key", keyId },
  };
}

/**
 * The role of a session that began with a key. A key that may only read makes a viewer. Each
 * request asks anew what the key may do.
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
 * Takes the link and begins the session in one transaction. Of all who show a link, one is let in.
 * A link that is good is not used up by a limit.
 */
async function enterByLink(
  deps: EnterDeps,
  request: FastifyRequest,
  link: string,
): Promise<Entered> {
  const { secrets } = deps;
  const digest = digestOf(link);
  await secrets.admit(digest, request.ip);
  const refuse = () => {
    secrets.noteWrong(digest, request.ip);
    return new Fault(
      "invalid_console_link",
      "The link was used, has expired or is wrong: ask the operator for another one.",
    );
  };
  const at = new Date(deps.clock.now());
  const found = isLinkForm(link) ? await deps.findLink(digest, at) : null;
  if (found === null || (found.subject.kind === "operator" && !deps.isDevelopment)) throw refuse();
  const { subject, madeBy, business } = found;
  if (business !== null) requireOpenBusiness(business);
  const who = { subject, origin: { way: "link", madeBy } } as const;
  return enterAs(deps, request, who, async (ledger) => {
    if (!(await ledger.takeLink(digest, at))) throw refuse();
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
