import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { Redis, type RedisOptions } from "ioredis";
import { freePort } from "../process/free-port.ts";
import { endWithUs, removeWithUs } from "../process/reaper.ts";
import { waitFor } from "../wait-for.ts";
import { type RedisProgram, redisProgram } from "./redis-program.ts";

export type RedisServer = {
  url: string;
  port: number;
  /** Which one it is, in a person's words. */
  described: string;
  /** Ends it in order. With a data directory it saves first. Safe to repeat. */
  stop: () => Promise<void>;
  /** Ends it as a crash would. */
  kill: () => Promise<void>;
};

const START_TIMEOUT_MS = 20_000;
// An image that must be pulled first may take this long; where there is no network, it fails
// sooner.
const CONTAINER_TIMEOUT_MS = 30_000;
const IMAGE = process.env["CHAINBELL_TEST_REDIS_IMAGE"] ?? "redis:7.4-alpine";

/** The Redis of a run; null where none can be had. `how`: which one it is, or how to get one. */
export type FoundRedis = { server: RedisServer; how: string } | { server: null; how: string };

/** A Redis in a container where a Docker engine answers, else this machine's redis-server. */
export async function startRedis(): Promise<FoundRedis> {
  const refused: string[] = [];
  if (dockerMayAnswer()) {
    try {
      const server = await startContainer(undefined);
      return { server, how: server.described };
    } catch (error) {
      refused.push(`no container: ${firstLine(error)}`);
    }
  }
  const program = redisProgram();
  if (program === undefined) {
    const why = refused.length === 0 ? "" : ` (${refused.join("; ")})`;
    return { server: null, how: `Start a Docker engine or install redis-server${why}.` };
  }
  const server = await startProgram(program, {});
  const note = refused.length === 0 ? "" : `, ${refused.join("; ")}`;
  return { server, how: `${server.described}${note}` };
}

/**
 * A Redis of the test's own, to end and start again: at the same port when it is named, with the
 * same data when a data directory is. Whoever starts it stops it.
 */
export async function startOwnRedis(
  options: { port?: number; dataDir?: string; args?: string[] } = {},
): Promise<RedisServer> {
  const program = redisProgram();
  if (program !== undefined) return startProgram(program, options);
  if (options.dataDir !== undefined)
    throw new Error("A Redis with data needs a redis-server here.");
  return startContainer(options.port);
}

async function startProgram(
  program: RedisProgram,
  options: { port?: number; dataDir?: string; args?: string[] },
): Promise<RedisServer> {
  const port = options.port ?? (await freePort());
  const folder = options.dataDir ?? temporaryFolder();
  const temporary = options.dataDir === undefined;
  const appendOnly = temporary ? "no" : "yes";
  const where = ["--port", String(port), "--bind", "127.0.0.1", "--dir", folder];
  const args = [...where, "--save", "", "--appendonly", appendOnly, "--appendfsync", "always"];
  const own = await spawnRedis([...args, ...(options.args ?? [])], { port, program });
  const end = async (ending: () => Promise<void>) => {
    await ending();
    if (temporary) rmSync(folder, { recursive: true, force: true });
  };
  return {
    url: `redis://127.0.0.1:${port}`,
    port,
    described: `${program.origin} redis-server`,
    stop: () => end(own.stop),
    kill: () => end(own.kill),
  };
}

/** Goes with us at the latest. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "chainbell-redis-"));
  removeWithUs(folder);
  return folder;
}

/**
 * This machine's redis-server with these arguments and no others. It has answered a ping at the
 * port when it is there.
 */
export async function spawnRedis(
  args: string[],
  at: { port: number; program?: RedisProgram; tls?: RedisOptions["tls"] },
): Promise<Pick<RedisServer, "stop" | "kill">> {
  const program = at.program ?? redisProgram();
  if (program === undefined) throw new Error("This test needs a redis-server here.");
  const child = spawn(program.command, args, {
    stdio: "ignore",
    env: { ...process.env, ...program.env },
  });
  const reaped = endWithUs(child.pid ?? 0);
  const exited = new Promise<void>((resolve) => {
    child.once("exit", () => resolve());
    child.once("error", () => resolve());
  });
  const end = async (signal: NodeJS.Signals) => {
    child.kill(signal);
    await exited;
    reaped.forget();
  };
  const client = new Redis({
    host: "127.0.0.1",
    port: at.port,
    tls: at.tls,

    lazyConnect: true,
    retryStrategy: () => null,
  });
  try {
    await untilReady(client, () => child.exitCode !== null);
  } catch (error) {
    await end("SIGKILL");
    throw error;
  }
  return { stop: () => end("SIGTERM"), kill: () => end("SIGKILL") };
}

async function startContainer(port: number | undefined): Promise<RedisServer> {
  const { GenericContainer, Wait } = await import("testcontainers");
  const inside = 6_379;
  const container = await new GenericContainer(IMAGE)
    .withExposedPorts(port === undefined ? inside : { container: inside, host: port })
    .withWaitStrategy(Wait.forLogMessage(/Ready to accept connections/))
    .withStartupTimeout(CONTAINER_TIMEOUT_MS)
    .start();
  const mapped = container.getMappedPort(inside);
  const url = `redis://${container.getHost()}:${mapped}`;
  let ending: Promise<unknown> | undefined;
  const end = async (timeout: number) => {
    ending ??= container.stop({ timeout, remove: true });
    await ending;
  };
  try {
    const client = new Redis(url, { lazyConnect: true, retryStrategy: () => null });
    await untilReady(client, () => false);
  } catch (error) {
    await end(0);
    throw error;
  }
  return {
    url,
    port: mapped,
    described: `container of ${IMAGE}`,
    stop: () => end(10_000),
    kill: () => end(0),
  };
}

async function untilReady(client: Redis, ended: () => boolean): Promise<void> {
  client.on("error", () => undefined);
  try {
    await waitFor(
      async () => {
        if (ended()) return "ended";
        if (client.status !== "ready") await client.connect();
        return await client.ping();
      },
      { what: "a Redis that answers", timeoutMs: START_TIMEOUT_MS },
    );
    if (ended()) throw new Error("redis-server ended at its start.");
  } finally {
    client.disconnect();
  }
}

// Looking for these first spares loading the whole library where there is no engine.
function dockerMayAnswer(): boolean {
  return (
    process.env["DOCKER_HOST"] !== undefined ||
    existsSync(join(homedir(), ".testcontainers.properties")) ||
    existsSync(join(homedir(), ".docker/run/docker.sock")) ||
    existsSync("/var/run/docker.sock")
  );
}

function firstLine(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).split("\n")[0] ?? "";
}
