import { Redis } from "ioredis";
import { Fault } from "../domain/fault.ts";
import { asError } from "../runtime/as-error.ts";

const answerTimeoutMs = 5_000;

/**
 * Tries what the queue needs of Redis, once: to log in, to run scripts, and to use its keys. A Redis that cannot be reached
 * now passes: the queue waits for it.
 * @throws Fault `queue_refused` for what waiting does not mend: credentials, rights, or another kind of server
 */
export async function checkRedis(of: { url: string; prefix: string }): Promise<void> {
  const client = new Redis(of.url, {
    lazyConnect: true,
    retryStrategy: null,
    maxRetriesPerRequest: 0,
    connectTimeout: answerTimeoutMs,
    socketTimeout: answerTimeoutMs,
    // The questions below are answered, or say why not, whatever the server is loading.
    enableReadyCheck: false,
  });
  const heard: Error[] = [];
  client.on("error", (error: Error) => heard.push(error));
  try {
    await client.connect();
    refuse(heard.find(isRefusal));
    await requirePlainServer(client);
    await client.eval("return redis.call('exists', KEYS[1])", 1, `${of.prefix}:check`);
  } catch (thrown) {
    if (thrown instanceof Fault) throw thrown;
    refuse([asError(thrown), ...heard].find(isRefusal));
  } finally {
    client.disconnect();
  }
}

/** WRONGPASS, NOAUTH and NOPERM; what a server without users says of a password; a command that is switched off; another node's slot. */
function isRefusal({ message }: Error): boolean {
  return /^(WRONGPASS|NOAUTH|NOPERM|MOVED|CROSSSLOT|CLUSTERDOWN)\b|invalid (username-password pair|password)|without any password|unknown command/i.test(
    message,
  );
}

function refuse(error: Error | undefined): void {
  if (error === undefined) return;
  throw refusal(`it answers: ${error.message.slice(0, 200)}`, error);
}

async function requirePlainServer(client: Redis): Promise<void> {
  // Who may not ask it is asked nothing: what matters is tried afterwards.
  const info = await client.info().catch(() => "");
  const mode = /^redis_mode:(\w+)/m.exec(info)?.[1] ?? "standalone";
  if (mode === "sentinel")
    throw refusal(
      "it is a Sentinel, which names servers and is none: give the server's own address",
    );
  if (mode === "cluster")
    throw refusal(
      "it is a node of a Redis Cluster: give a server of its own, which needs no replica",
    );
}

function refusal(what: string, cause?: Error): Fault {
  return new Fault("queue_refused", `REDIS_URL does not work: ${what}.`, { cause });
}
