import { accessSync, constants } from "node:fs";
import { resolve } from "node:path";
import { type AdminScope, adminScopes } from "../domain/business/admin-scope.ts";
import { keysOf } from "../domain/keys-of.ts";
import { parseDatabaseUrl, type SessionTarget } from "../domain/setup/database-servers.ts";
import { parseRedisUrl, type RedisServers, type RedisTls } from "../domain/setup/redis-servers.ts";
import { readSpanExport, type SpanExport } from "../domain/setup/span-export.ts";
import type { EncryptionKey, Keyring } from "../domain/webhook/secret.ts";
import type { LogLevel } from "../runtime/logger.ts";
import type { ConfigFault } from "./config-fault.ts";
import { lengthMs, type Reading } from "./schema/fields.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

/** The parts of the daemon. Any number of processes may run each of them. */
const roles = ["watcher", "relay", "dispatcher", "api"] as const;

type Role = (typeof roles)[number];

/**
 * An operator. The audit trail shows the name. Without scopes, the token may do all that its role
 * may.
 */
type AdminToken = { name: string; token: string; role: AdminRole; scopes: readonly AdminScope[] };

/** The roles of operators by HTTP. An operator may do everything, a viewer may only read. */
const adminRoles = ["operator", "viewer"] as const;

type AdminRole = (typeof adminRoles)[number];

/** The settings of one process, which come from the environment. */
export type ProcessSettings = {
  /** Null only in development mode, for the embedded PostgreSQL. */
  databaseUrl: string | null;
  /** PostgreSQL without the pooler of the other URL. Null: that URL is used for everything. */
  databaseDirectUrl: string | null;
  /** A replica of the database, for lists. Null: there is none. */
  databaseReadUrl: string | null;
  /** The greatest age of data that the replica may list, in ms. */
  databaseReadStalenessMs: number;
  /** Null: there is none. */
  redis: RedisServers | null;
  host: string;
  /** 0: any free port. */
  port: number;
  /**
   * The TCP port that serves only the console; 0: any free port. Null: the console is on `port`,
   * with the API.
   */
  consolePort: number | null;
  /**
   * The port of the operators' own listener; 0: any free port. Null: their routes are on `port`.
   */
  operatorPort: number | null;
  operatorHost: string;
  /**
   * True if the port was set. Then a process without the API also serves its health and metrics
   * there.
   */
  isPortGiven: boolean;
  logLevel: LogLevel;
  /** Null only in development mode, which uses the key stored in the data directory. */
  encryptionKeys: Keyring | null;
  /** Empty: there is no administration by HTTP. */
  adminTokens: readonly AdminToken[];
  roles: ReadonlySet<Role>;
  /** Absolute. */
  dataDir: string;
  /** True if a daemon, when it starts, applies chains and assets that are not applied yet. */
  appliesConfig: boolean;
  /** The Chromium that prints PDFs, as a path or a name. Null: the first of the usual names. */
  chromium: string | null;
  /** Null: OpenTelemetry is not loaded. */
  spanExport: SpanExport | null;
};

export type EnvironmentValues = ProcessSettings & { isProduction: boolean };

const logLevels = [
  "trace",
  "debug",
  "info",
  "warn",
  "error",
  "fatal",
  "silent",
] as const satisfies LogLevel[];

/**
 * Reads the variables. A value that cannot be read counts as absent, and adds a fault that says
 * why.
 */
export function readEnvironment(
  env: Environment,
  cwd: string,
  faults: ConfigFault[],
): EnvironmentValues {
  // An empty variable counts as not set.
  const read = <T, Otherwise>(
    name: string,
    reading: (text: string) => Reading<T>,
    otherwise: Otherwise,
  ): T | Otherwise => {
    const text = env[name];
    if (!text) return otherwise;
    const result = reading(text);
    if ("value" in result) return result.value;
    const { fault: message, ...rest } = result;
    faults.push({ path: name, message, ...rest });
    return otherwise;
  };
  // A file that is empty by mistake must not start development mode.
  const namesDatabase = Boolean(env["DATABASE_URL"] || env["DATABASE_URL_FILE"]);
  return {
    isProduction: namesDatabase || env["NODE_ENV"] === "production",
    databaseUrl: read("DATABASE_URL", parseWrittenDatabase, null),
    databaseDirectUrl: read("DATABASE_DIRECT_URL", parseWrittenDatabase, null),
    databaseReadUrl: read("DATABASE_READ_URL", (text) => parseDatabase(text, () => null), null),
    databaseReadStalenessMs: read("DATABASE_READ_STALENESS", parseStaleness, 5_000),
    redis: read("REDIS_URL", (text) => parseRedisUrl(text, redisPem(env)), null),
    host: env["HOST"] || "127.0.0.1",
    port: read("PORT", parsePort, 3000),
    consolePort: read("CONSOLE_PORT", parsePort, null),
    operatorPort: read("OPERATOR_PORT", parsePort, null),
    operatorHost: env["OPERATOR_HOST"] || "127.0.0.1",
    isPortGiven: Boolean(env["PORT"]),
    logLevel: read("LOG_LEVEL", parseLogLevel, "info"),
    encryptionKeys: read("CHAINBELL_ENCRYPTION_KEY", parseKeys, null),
    adminTokens: read("CHAINBELL_ADMIN_TOKENS", parseAdminTokens, []),
    roles: read("CHAINBELL_ROLES", parseRoles, new Set(roles)),
    dataDir: resolve(cwd, env["CHAINBELL_DATA_DIR"] || ".chainbell"),
    appliesConfig: read("CHAINBELL_APPLY_CONFIG", parseSwitch, false),
    chromium: env["CHAINBELL_CHROMIUM"] || null,
    spanExport: readSpanExport(read),
  };
}

/** The URL of a database to write to. */
function parseWrittenDatabase(text: string): Reading<string> {
  return parseDatabase(text, (target) =>
    target === null || target === "read-write" || target === "primary"
      ? null
      : "expected target_session_attrs to be read-write or primary: it is written to",
  );
}

function parseDatabase(
  text: string,
  faultOf: (target: SessionTarget | null) => string | null,
): Reading<string> {
  const reading = parseDatabaseUrl(text);
  if ("fault" in reading) return reading;
  const { target, caFile } = reading.value;
  const fault = faultOf(target) ?? (caFile === null ? null : faultOfCaFile(caFile));
  return fault === null ? { value: text } : { fault };
}

/**
 * Reads the greatest age of a replica's data. The age is measured once a second. If less than 2 s
 * were allowed, the primary would often be asked instead.
 */
function parseStaleness(text: string): Reading<number> {
  const value = lengthMs(text);
  return value !== null && value >= 2_000 && value <= 3_600_000
    ? { value }
    : { fault: "expected a length of time from 2s to 1h" };
}

/** Tries to read the file at the start, because otherwise only a later connection would fail. */
function faultOfCaFile(path: string): string | null {
  try {
    accessSync(path, constants.R_OK);
    return null;
  } catch {
    return "the file of sslrootcert cannot be read";
  }
}

/** An empty variable counts as not set. */
function redisPem(env: Environment): RedisTls {
  return {
    ca: env["REDIS_CA"] || null,
    cert: env["REDIS_CERT"] || null,
    key: env["REDIS_KEY"] || null,
  };
}

/** 0 asks the system for a free port. */
function parsePort(text: string): Reading<number> {
  const value = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  return value <= 65_535 ? { value } : { fault: "expected a port from 0 to 65535" };
}

function parseSwitch(text: string): Reading<boolean> {
  return text === "1" || text === "0" ? { value: text === "1" } : { fault: "expected 1 or 0" };
}

function parseLogLevel(text: string): Reading<LogLevel> {
  const value = logLevels.find((word) => word === text);
  if (value !== undefined) return { value };
  const choices = logLevels.join(", ");
  return { fault: `expected one of: ${choices}`, code: "choice", values: { choices } };
}

/** Parses one key, or several with their ids: `id:key,id:key`. */
function parseKeys(text: string): Reading<Keyring> {
  const entries = text.split(",").map((entry) => entry.trim());
  const keys = entries.map((entry): EncryptionKey => {
    const colon = entry.lastIndexOf(":");
    const id = colon === -1 ? "key" : entry.slice(0, colon);
    return { id, bytes: keyBytes(entry.slice(colon + 1)) };
  });
  const [first, ...others] = keys;
  if (first === undefined || keys.some(({ bytes }) => bytes.length !== 32))
    return { fault: "expected 32 bytes in base64, as `openssl rand -base64 32` prints them" };
  const isAlone = others.length === 0 && !text.includes(":");
  if (!isAlone && !entries.every((entry) => namedKey.test(entry)))
    return { fault: "expected each of several keys as id:key, separated by commas" };
  const ids = new Set(keys.map(({ id }) => id));
  const values = new Set(keys.map(({ bytes }) => Buffer.from(bytes).toString("base64")));
  return ids.size === keys.length && values.size === keys.length
    ? { value: [first, ...others] }
    : { fault: "expected each id and each key once" };
}

const namedKey = /^[A-Za-z0-9._-]{1,64}:[^:]+$/;

/** The bytes of base64. Empty if the text is not base64. */
function keyBytes(text: string): Uint8Array {
  const bytes = Buffer.from(text, "base64");
  return new Uint8Array(bytes.toString("base64") === text ? bytes : []);
}

/** 24 hexadecimal characters are 96 bits, far too many to guess. */
const leastTokenCharacters = 24;
const leastDifferentCharacters = 8;

function isStrong(token: string): boolean {
  return token.length >= leastTokenCharacters && new Set(token).size >= leastDifferentCharacters;
}

/**
 * The most tokens. Each request of an operator is compared with all of them. Tokens have no age, so
 * in a longer list nobody would notice those that are no longer needed.
 */
const mostAdminTokens = 100;

function parseAdminTokens(text: string): Reading<AdminToken[]> {
  const entries = text.split(",");
  if (entries.length > mostAdminTokens)
    return {
      fault: `has ${entries.length} tokens, and ${mostAdminTokens} are the most: remove those that nobody uses, or let people sign in by operator_sign_in`,
    };
  const value = entries.map((entry) => {
    const colon = Math.max(entry.indexOf(":"), 0);
    const [name = "", word = "operator", ...more] = entry.slice(0, colon).trim().split("@");
    const role = adminRoles.find((known) => known === word);
    const words = role === undefined ? word.split("+") : [];
    const scopes = keysOf(adminScopes).filter((known) => words.includes(known));
    const isNamed = scopes.length === words.length && more.length === 0;
    return {
      name: isNamed ? name : "",
      token: entry.slice(colon + 1).trim(),
      role: role ?? "operator",
      scopes,
    };
  });
  const isWhole = value.every(
    ({ name, token }) => /^[A-Za-z0-9._-]{1,64}$/.test(name) && /^[\x21-\x7e]+$/.test(token),
  );
  if (!isWhole)
    return {
      fault: `expected name:token, name@viewer:token or name@SCOPE+SCOPE:token with scopes of ${keysOf(adminScopes).join(", ")}, separated by commas`,
    };
  if (!value.every(({ token }) => isStrong(token))) {
    return {
      fault: `expected each token to have at least ${leastTokenCharacters} characters, ${leastDifferentCharacters} of them different, as \`openssl rand -hex 24\` prints them`,
    };
  }
  const names = new Set(value.map(({ name }) => name));
  const tokens = new Set(value.map(({ token }) => token));
  return names.size === value.length && tokens.size === value.length
    ? { value }
    : { fault: "expected each name and each token once" };
}

function parseRoles(text: string): Reading<Set<Role>> {
  const words = text.split(",").map((word) => word.trim());
  const unknown = words.filter((word) => !roles.some((role) => role === word));
  return unknown.length === 0
    ? { value: new Set(roles.filter((role) => words.includes(role))) }
    : { fault: `expected any of ${roles.join(",")}, separated by commas` };
}
