import { parseServerUrl, type ServerAddress, type ServerUrl } from "./server-url.ts";

export type RedisLogin = { username: string | null; password: string | null };

/** PEM texts. `ca` null: Node's own authorities. */
export type RedisTls = { ca: string | null; cert: string | null; key: string | null };

type Address = { host: string; port: number };

/** The way to reach a Redis: one server, the one that Sentinels name, or a Cluster. */
export type RedisServers = {
  login: RedisLogin;
  /** Null: connections are not encrypted. The same settings apply to Sentinels. */
  tls: RedisTls | null;
  /** 4 or 6: names are looked up in that address family only; 0: in both. */
  family: 0 | 4 | 6;
} & (
  | { kind: "single"; at: Address; database: number }
  | {
      kind: "sentinel";
      sentinels: readonly Address[];
      /** The name under which the Sentinels watch the servers. */
      name: string;
      sentinelLogin: RedisLogin;
      database: number;
    }
  | { kind: "cluster"; nodes: readonly Address[] }
);

const kinds = {
  "redis:": { kind: "single", isEncrypted: false },
  "rediss:": { kind: "single", isEncrypted: true },
  "redis+sentinel:": { kind: "sentinel", isEncrypted: false },
  "rediss+sentinel:": { kind: "sentinel", isEncrypted: true },
  "redis+cluster:": { kind: "cluster", isEncrypted: false },
  "rediss+cluster:": { kind: "cluster", isEncrypted: true },
} as const;

const redisPort = 6_379;
const sentinelPort = 26_379;
const families = new Map<string | null, 0 | 4 | 6>([
  [null, 0],
  ["0", 0],
  ["4", 4],
  ["6", 6],
]);

/**
 * Parses a Redis URL, with `rediss` for TLS:
 *
 * - `redis://user:password@host:port/database`
 * - `redis+sentinel://…@host:port,host:port/name/database`
 * - `redis+cluster://…@host:port,host:port`
 *
 * @param pem the certificates, each null if it is not given
 */
export function parseRedisUrl(
  text: string,
  pem: RedisTls,
): { value: RedisServers } | { fault: string } {
  const url = parseServerUrl(text);
  const form = Object.entries(kinds).find(([scheme]) => scheme === url?.scheme)?.[1];
  if (url === null || form === undefined) return { fault: `expected ${forms}` };
  const fault = faultOfQuery(url, form.kind) ?? faultOfTls(pem, form.isEncrypted);
  if (fault !== null) return { fault };
  const family = families.get(url.query.get("family"));
  if (family === undefined) return { fault: "expected family to be 0, 4 or 6" };
  const login = { username: url.username, password: url.password };
  const common = { login, tls: form.isEncrypted ? pem : null, family };
  if (form.kind === "sentinel") return readSentinels(url, common);
  if (form.kind === "cluster")
    return url.path === "" || url.path === "0"
      ? { value: { ...common, kind: "cluster", nodes: addresses(url.hosts, redisPort) } }
      : { fault: "expected no database: a Cluster has one" };
  const [at, ...others] = addresses(url.hosts, redisPort);
  const database = readDatabase(url.path);
  if (at === undefined || others.length > 0)
    return { fault: `expected one host, or ${severalForms}` };
  if (database === null) return { fault: "expected the number of a database after the host" };
  return { value: { ...common, kind: "single", at, database } };
}

const severalForms =
  "redis+sentinel://host:port,host:port/name or redis+cluster://host:port,host:port";
const forms = `a URL that begins with redis:// or rediss://, ${severalForms}`;

function readSentinels(
  url: ServerUrl,
  common: Pick<RedisServers, "login" | "tls" | "family">,
): { value: RedisServers } | { fault: string } {
  const [name = "", number = "", ...more] = url.path.split("/");
  const database = readDatabase(number);
  if (name === "" || database === null || more.length > 0)
    return { fault: "expected the name that the Sentinels watch after the hosts, as in /mymaster" };
  const sentinelLogin = {
    username: url.query.get("sentinel_username"),
    password: url.query.get("sentinel_password"),
  };
  const sentinels = addresses(url.hosts, sentinelPort);
  return { value: { ...common, kind: "sentinel", sentinels, name, sentinelLogin, database } };
}

/** The number of a database. Null: the path is no number of a database. */
function readDatabase(path: string): number | null {
  if (path === "") return 0;
  return /^\d{1,5}$/.test(path) ? Number(path) : null;
}

function addresses(hosts: readonly ServerAddress[], defaultPort: number): Address[] {
  return hosts.map(({ host, port }) => ({ host, port: port ?? defaultPort }));
}

/** The fault in the query; null: none. It repeats only names, because a value may be a password. */
function faultOfQuery(url: ServerUrl, kind: RedisServers["kind"]): string | null {
  const known =
    kind === "sentinel" ? ["family", "sentinel_username", "sentinel_password"] : ["family"];
  const unknown = [...url.query.keys()].filter((name) => !known.includes(name));
  if (unknown.length === 0) return null;
  return `expected none of these after the question mark: ${unknown.join(", ")}`;
}

function faultOfTls({ ca, cert, key }: RedisTls, isEncrypted: boolean): string | null {
  if (!isEncrypted && (ca ?? cert ?? key) !== null)
    return "expected rediss, since REDIS_CA, REDIS_CERT or REDIS_KEY is set";
  return (cert === null) === (key === null) ? null : "expected REDIS_CERT and REDIS_KEY together";
}
