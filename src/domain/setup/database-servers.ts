import { parseServerUrl, type ServerAddress, type ServerUrl } from "./server-url.ts";

/** The roles that a URL may ask of a server, as libpq's `target_session_attrs` names them. */
const sessionTargets = [
  "any",
  "read-write",
  "read-only",
  "primary",
  "standby",
  "prefer-standby",
] as const;

export type SessionTarget = (typeof sessionTargets)[number];

/** One of a URL's servers, with its own URL. */
export type DatabaseServer = { host: string; port: number; url: string };

/** The servers that a PostgreSQL URL names, at least one, in its order. */
export type DatabaseServers = {
  servers: readonly [DatabaseServer, ...DatabaseServer[]];
  /** Null: the URL does not name a role. */
  target: SessionTarget | null;
  /** A file with the authorities that certify the servers; null: Node's own authorities. */
  caFile: string | null;
};

const schemes = ["postgres:", "postgresql:"];
const defaultPort = 5_432;

/**
 * The known values of `sslmode`. Those stricter than `require` do the same as `require` (see
 * docs/operations.md).
 */
const sslModes = ["disable", "prefer", "require", "verify-ca", "verify-full", "no-verify"] as const;

/**
 * Parses a PostgreSQL URL as libpq does:
 * `postgres://user:password@host:port,host:port/database?target_session_attrs=read-write`. A fault
 * repeats only names of settings from the URL.
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
 * A server with its own URL. The URL of a single server stays as written, because a driver may know
 * more of it than this code.
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
