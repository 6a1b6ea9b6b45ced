import { Redis } from "ioredis";
import { describe, expect, it, onTestFinished } from "vitest";
import { openDeliveryQueue } from "../../../src/queue/delivery-queue.ts";
import { startOwnRedis } from "../../support/delivery/redis.ts";
import { redisAt } from "../../support/delivery/redis-topologies.ts";
import { hasRedis } from "../../support/delivery/with-redis.ts";
import { freePort } from "../../support/process/free-port.ts";

/** A Redis that has been told these commands, and what trying the queue on it comes to. */
async function check(given: {
  commands: string[][];
  login: string;
  args?: string[];
}): Promise<unknown> {
  const redis = await startOwnRedis({ args: given.args ?? [] });
  onTestFinished(() => redis.stop());
  const client = new Redis(redis.url);
  for (const [name = "", ...rest] of given.commands) await client.call(name, ...rest);
  client.disconnect();
  const url = redis.url.replace("redis://", `redis://${given.login}`);
  return tryQueue(url);
}

async function tryQueue(url: string): Promise<unknown> {
  const backend = { kind: "redis", servers: redisAt(url), namespace: "chainbell" } as const;
  const queue = openDeliveryQueue({ backend, onError: () => {} });
  const outcome = await queue.check().then(
    () => "passed",
    (error: Error & { code?: string }) => `${error.code}: ${error.message}`,
  );
  await queue.close();
  return outcome;
}

const user = (rights: string[]) => [["ACL", "SETUSER", "bell", "on", ">secret-word", ...rights]];

describe.runIf(hasRedis)("a queue on a Redis", () => {
  it("that takes us passes, and so does one that is away", async () => {
    expect(await check({ commands: [], login: "" })).toBe("passed");
    const rights = ["+@all", "~*"];
    expect(await check({ commands: user(rights), login: "bell:secret-word@" })).toBe("passed");
    expect(await tryQueue(`redis://127.0.0.1:${await freePort()}`)).toBe("passed");
  });

  it.each([
    [
      "wants another password",
      [["CONFIG", "SET", "requirepass", "right"]],
      ":wrong@",
      [],
      "WRONGPASS",
    ],
    ["wants a password", [["CONFIG", "SET", "requirepass", "right"]], "", [], "NOAUTH"],
    [
      "does not let us run scripts",
      user(["+@all", "-@scripting", "~*"]),
      "bell:secret-word@",
      [],
      "NOPERM",
    ],
    [
      "does not let us use our keys",
      user(["+@all", "~other*"]),
      "bell:secret-word@",
      [],
      "(NOPERM|No permissions)",
    ],
    ["is a node of a Cluster", [], "", ["--cluster-enabled", "yes"], "node of a Redis Cluster"],
  ])("that %s is a fault of the configuration", async (_what, commands, login, args, says) => {
    const outcome = await check({ commands, login, args });
    expect(outcome).toMatch(/^queue_refused: REDIS_URL does not work/);
    expect(outcome).toMatch(new RegExp(says));
    expect(outcome).not.toContain("secret-word");
  });
});
