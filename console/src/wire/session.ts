import { faultOf, type WireFault } from "./fault.ts";

/** A right of a business. `unlimited`: to make keys and links, and to end sessions of others. */
export type BusinessRight = "read" | "webhooks" | "notifications" | "credits" | "unlimited";

/** A right of an operator. `unlimited`: to end sessions of others. */
export type OperatorRight = "read" | "wallets" | "businesses" | "chains" | "unlimited";

/**
 * The session of the person who is signed in, as /console/session answers it. A request that needs
 * a right that is not in `rights` is refused.
 */
export type Session = {
  role: "viewer" | "developer" | "operator";
  rights: readonly string[];
  token: string;
  expires_at: string;
  idle_expires_at: string;
  development: boolean;
  version: string;
} & (
  | { kind: "business"; business: { id: string; name: string } }
  | { kind: "operator"; business: null }
);

/** The proof with which a person signs in. */
export type Credential = { link: string } | { api_key: string } | { admin_token: string };

const path = "/console/session";
/** A page that reads by itself does not keep an idle session open. */
export const aloneHeaders = { "x-console-background": "1" };
const json = { "content-type": "application/json" };

let current: Session | null = null;
let isInDoubt = false;
const watchers = new Set<SessionWatcher>();

/** Called with the session, or with null when it ends. `why` says why it was ended from outside. */
type SessionWatcher = (session: Session | null, why: WireFault | null) => void;

/** Codes of refusals that end a session: the key or business behind it may no longer be used. */
const endings = [
  "key_revoked",
  "key_expired",
  "business_suspended",
  "business_unverified",
  "network_refused",
];

/** Calls `watcher` whenever a session begins or ends. Call the answer to end that. */
export function watchSession(watcher: SessionWatcher): () => void {
  watchers.add(watcher);
  return () => watchers.delete(watcher);
}

/** Tells the other pages of this browser that a session has begun: they have its cookie too. */
const otherPages = new BroadcastChannel("session");
otherPages.addEventListener("message", () => void readAlone().catch(() => undefined));

/** Reads the session that the browser's cookie opens; null without one, or where it has ended. */
export async function readSession(): Promise<Session | null> {
  const session = await read({});
  if (session !== null) otherPages.postMessage(null);
  return session;
}

/** The same where the page asks by itself: no person has come. */
export function readAlone(): Promise<Session | null> {
  return read({ headers: aloneHeaders });
}

async function read(as: RequestInit): Promise<Session | null> {
  const response = await fetch(path, as);
  if (response.status === 401)
    return become(null, current === null ? null : await faultIn(response));
  return become(await sessionIn(response));
}

/**
 * Exchanges a link, a key or a token for a session.
 * @throws WireFault when the credential is refused
 */
export async function openSession(credential: Credential): Promise<Session | null> {
  const body = JSON.stringify(credential);
  const session = await sessionIn(await fetch(path, { method: "POST", headers: json, body }));
  otherPages.postMessage(null);
  return become(session);
}

/**
 * Answers whether operators may sign in at an identity provider. False where the server refuses to
 * say.
 */
export async function hasProvider(): Promise<boolean> {
  const response = await fetch("/console/ways");
  if (!response.ok) return false;
  const { data }: { data: { oidc: boolean } } = await response.json();
  return data.oidc;
}

/**
 * Makes a link that lets somebody into the own business, and answers its path.
 * @throws WireFault where the session may not
 */
export async function makeOwnLink(role: "viewer" | "developer"): Promise<string> {
  const headers = { ...json, "x-console-token": tokenOfSession() };
  const body = JSON.stringify({ role });
  const response = await fetch("/console/links", { method: "POST", headers, body });
  const answer = await response.json().catch(() => null);
  if (!response.ok) throw refused(response, answer);
  const { data }: { data: { path: string } } = answer;
  return data.path;
}

/** Signs out, here and in the database. */
export async function closeSession(): Promise<void> {
  const headers = { "x-console-token": tokenOfSession() };
  await fetch(path, { method: "DELETE", headers });
  endSession();
}

/** Forgets the session: the server has said that there is none any more. */
function endSession(why: WireFault | null = null): void {
  if (current !== null) become(null, why);
}

/** Ends a session that the server has called over, and passes on the server's reason. */
export async function endWithReason(): Promise<void> {
  try {
    const response = await fetch(path);
    if (response.ok) become(await sessionIn(response));
    else endSession(await faultIn(response));
  } catch {
    endSession();
  }
}

/**
 * The fault of a refused request. Ends the session on a 401, and on a 403 with one of `endings`.
 */
export function refused(response: Response, body: unknown): WireFault {
  const { status, headers } = response;
  const fault = faultOf(status, body, headers.get("retry-after"));
  if (status === 401) void endIfOver(fault);
  else if (status === 403 && endings.includes(fault.code)) endSession(fault);
  return fault;
}

/**
 * A 401 may belong to the session before: another page of the browser may have begun the next one
 * meanwhile. Many requests are refused at once, and one asks.
 */
async function endIfOver(why: WireFault): Promise<void> {
  if (isInDoubt || current === null) return;
  isInDoubt = true;
  try {
    const response = await fetch(path, { headers: aloneHeaders });
    if (response.ok) become(await sessionIn(response));
    else endSession(why);
  } catch {
    endSession(why);
  } finally {
    isInDoubt = false;
  }
}

/** True while the page knows of an open session. Without one it asks nothing. */
export function isSignedIn(): boolean {
  return current !== null;
}

/** The token that each changing request carries beside the cookie. */
export function tokenOfSession(): string {
  return current?.token ?? "";
}

async function faultIn(response: Response): Promise<WireFault> {
  return faultOf(response.status, await response.json().catch(() => null));
}

async function sessionIn(response: Response): Promise<Session> {
  if (!response.ok) throw await faultIn(response);
  const body: { data: Session } = await response.json();
  return body.data;
}

function become(session: Session | null, why: WireFault | null = null): Session | null {
  current = session;
  for (const watcher of watchers) watcher(session, why);
  return session;
}
