import { Fault } from "../domain/fault.ts";
import type { RedisLogin, RedisServers } from "../domain/setup/redis-servers.ts";
import { asError } from "../runtime/as-error.ts";
import { systemClock as clock } from "../runtime/clock.ts";
import { withTimeout } from "../runtime/with-timeout.ts";
import { openRedisClient, type RedisClient } from "./redis-client.ts";

const answerTimeoutMs = 5_000;

const once = {
  lazyConnect: true,
  retry: null,
  maxRetriesPerRequest: 0,
  enableOfflineQueue: true,
  // The server answers or refuses each command, even while it loads its data.
  enableReadyCheck: false,
  socketTimeout: answerTimeoutMs,
};

type Address = { host: string; port: number };

/**
 * Tries once what the queue needs of Redis: to log in, to run scripts, and to use its keys. Accepts
 * a Redis that is out of reach now, since the queue waits for it.
 * @throws Fault `queue_refused` for what waiting does not repair: credentials, rights, or another
 *   kind of server
 */
export async function checkRedis(of: { servers: RedisServers; prefix: string }): Promise<void> {
  const { servers, prefix } = of;
  if (servers.kind === "sentinel") await checkSentinels(servers);
  if (servers.kind === "cluster") await checkNodes(servers);
  await asking(servers, async (client) => {
    if (servers.kind !== "cluster") await requireMode(client, servers.kind);
    await client.eval("return redis.call('exists', KEYS[1])", 1, `${prefix}:check`);
  });
}

/**
 * Checks that the Sentinels that answer are Sentinels, and that one of them knows the name.
 * @throws Fault `queue_refused`
 */
async function checkSentinels(servers: RedisServers & { kind: "sentinel" }): Promise<void> {
  const { sentinels, sentinelLogin, name } = servers;
  const found = await Promise.all(
    sentinels.map((at) =>
      asking(plain(servers, at, sentinelLogin), async (client) =>
        client.call("SENTINEL", "get-master-addr-by-name", name),
      ),
    ),
  );
  const answers = found.filter((answer) => answer !== undefined);
  if (answers.length > 0 && answers.every((answer) => answer === null))
    throw refusal(`its Sentinels watch nothing that is called ${name}`);
}

async function checkNodes(servers: RedisServers & { kind: "cluster" }): Promise<void> {
  const { nodes, login } = servers;
  await Promise.all(
    nodes.map((at) =>
      asking(plain(servers, at, login), (client) => requireMode(client, "cluster")),
    ),
  );
}

/** One of several servers, as a single server. */
function plain(servers: RedisServers, at: Address, login: RedisLogin): RedisServers {
  return { kind: "single", at, login, tls: servers.tls, family: servers.family, database: 0 };
}

/** The answer. Undefined: the server is out of reach. @throws Fault `queue_refused` */
async function asking<T>(
  servers: RedisServers,
  question: (client: RedisClient) => Promise<T>,
): Promise<T | undefined> {
  const heard: Error[] = [];
  const client = openRedisClient(servers, once, (error) => heard.push(error));
  try {
    const answering = client.connect().then(() => {
      refuse(heard.find(isRefusal));
      return question(client);
    });
    const answer = await withTimeout(answering, { timeoutMs: answerTimeoutMs, clock });
    return answer.kind === "late" ? undefined : answer.value;
  } catch (thrown) {
    if (thrown instanceof Fault) throw thrown;
    refuse([asError(thrown), ...heard].find(isRefusal));
    return undefined;
  } finally {
    client.disconnect();
  }
}

/**
 * True for WRONGPASS, NOAUTH and NOPERM, and for a password on a server without users. Also for a
 * command that is switched off, and for another node's slot.
 */
function isRefusal(error: Error): boolean {
  if ("code" in error && tlsFaults.test(String(error.code))) return true;
  return /^(WRONGPASS|NOAUTH|NOPERM|MOVED|CROSSSLOT)\b|invalid (username-password pair|password)|without any password|unknown command/i.test(
    error.message,
  );
}

/**
 * Codes of Node and OpenSSL for a certificate, key or server that does not fit. The server has no
 * TLS, or another name.
 */
const tlsFaults = /^ERR_(TLS|SSL|OSSL)_|SIGNED_CERT|^CERT_|^UNABLE_TO_(VERIFY|GET)/;

function refuse(error: Error | undefined): void {
  if (error === undefined) return;
  throw refusal(`it answers: ${error.message.slice(0, 200)}`, error);
}

const modes = {
  standalone: "a server of its own",
  sentinel:
    "a Sentinel, which names servers and is none: name it as redis+sentinel://host:port/name",
  cluster: "a node of a Redis Cluster: name it as redis+cluster://host:port",
} as const;

async function requireMode(client: RedisClient, expected: RedisServers["kind"]): Promise<void> {
  // A user who may not run INFO is accepted: the commands that matter are tried afterwards.
  const info = await client.info().catch(() => "");
  const words = Object.keys(modes) as (keyof typeof modes)[];
  const mode = words.find((word) => info.includes(`redis_mode:${word}`));
  const wanted = expected === "cluster" ? "cluster" : "standalone";
  if (mode !== undefined && mode !== wanted) throw refusal(`it is ${modes[mode]}`);
}

function refusal(what: string, cause?: Error): Fault {
  return new Fault("queue_refused", `REDIS_URL does not work: ${what}.`, { cause });
}
