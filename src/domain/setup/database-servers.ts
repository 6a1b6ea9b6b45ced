import { parseServerUrl, type ServerAddress, type ServerUrl } from "./server-url.ts";

/** The roles that a server may have to have, in libpq's words for `target_session_attrs`. */
const sessionTargets = [
  "any",
  "read-write",
  "read-only",
  "primary",
  "standby",
  "prefer-standby",
] as const;

export type SessionTarget = (typeof sessionTargets)[number];

/** One of the servers of a URL, with a URL of its own. */
export type DatabaseServer = { host: string; port: number; url: string };

/** The servers that a URL of PostgreSQL names, one at least, in its order. */
export type DatabaseServers = {
  servers: readonly [DatabaseServer, ...DatabaseServer[]];
  /** Null: the URL does not name a role. */
  target: SessionTarget | null;
  /**
   * The file with the authorities by which the servers' certificates are checked; null: those that
   * Node knows.
   */
  caFile: string | null;
};

const schemes = ["postgres:", "postgresql:"];
const defaultPort = 5_432;

/**
 * The known values of `sslmode`. The modes that are stricter than `require` do nothing that
 * `require` does not do already (see docs/operations.md).
 */
const sslModes = ["disable", "prefer", "require", "verify-ca", "verify-full", "no-verify"] as const;

/**
 * Reads a URL of PostgreSQL as libpq does:
 * `postgres://user:password@host:port,host:port/database?target_session_attrs=read-write`. A fault
 * repeats nothing of the URL but names of settings.
 */
export function parseDatabaseUrl(text: string): { value: DatabaseServers } | { fault: string } {
  const url = parseServerUrl(text);
  if (url === null || !schemes.includes(url.scheme))
    return { fault: "expected a URL that begins with postgres:// or postgresql://" };
  const target = sessionTargets.find((word) => word === url.query.get(targetName)) ?? null;
  if (target === null && url.query.has(targetName))
    return { fault: `expected ${targetName} to be one of: ${sessionTargets.join(", ")}` };
  const mode = url.query.get("sslmode");
  if (mode !== null && !sslModes.some((known) => known === mode))
    return { fault: `expected sslmode to be one of: ${sslModes.join(", ")}` };
  const [first, ...others] = url.hosts.map((at) => serverAt(at, { url, text }));
  if (first === undefined) return { fault: "expected a host" };
  const caFile = url.query.get("sslrootcert") || null;
  return { value: { servers: [first, ...others], target, caFile } };
}

const targetName = "target_session_attrs";

/**
 * A server with a URL of its own. The URL of a single server stays as it is written. A driver may
 * know more of such URLs than this code.
 */
function serverAt(
  { host, port }: ServerAddress,
  { url, text }: { url: ServerUrl; text: string },
): DatabaseServer {
  const at = { host, port: port ?? defaultPort };
  if (url.hosts.length === 1) return { ...at, url: text };
  const user = encodeURIComponent(url.username ?? "");
  const login = url.password === null ? user : `${user}:${encodeURIComponent(url.password)}`;
  const address = `${host.includes(":") ? `[${host}]` : host}:${at.port}`;
  const query = new URLSearchParams(url.query);
  query.delete(targetName);
  const end = query.size === 0 ? "" : `?${query}`;
  const path = encodeURIComponent(url.path);
  return { ...at, url: `${url.scheme}//${login && `${login}@`}${address}/${path}${end}` };
}
