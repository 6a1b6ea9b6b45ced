import type { ChildProcess } from "node:child_process";
import { randomUUID } from "node:crypto";
import { closeSync, mkdirSync, openSync, readFileSync, statSync, truncateSync } from "node:fs";
import { dirname } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Fault, type FaultCode } from "../../domain/fault.ts";
import { freePort } from "./free-port.ts";
import { identityOf, isAlive, type ProcessIdentity } from "./process-identity.ts";
import { type RunRecord, readRecord, underRunLock, writeRecord } from "./run-file.ts";

/** The servers that development mode starts, and shares among its processes. */
type ServerName = "chain" | "postgres";

export type DevelopmentLog = {
  info: (facts: object, event: `${ServerName}.${"joined" | "started" | "stopped"}`) => void;
  warn: (facts: object, event: "chain.settling_failed" | "chain.state_unreadable") => void;
};

/** A local server that several processes of one data directory share. */
export type SharedServer = {
  name: ServerName;
  dataDir: string;
  logFile: string;
  faultCode: FaultCode;
  /** Prepares for `spawn`. Called under the lock, if no recorded server is alive. */
  prepare: () => Promise<void>;
  /** Starts the server as its own process group, with both outputs to the file descriptor. */
  spawn: (port: number, output: number) => ChildProcess;
  /** True if exactly this server answers on that port. Another server does not count. */
  answers: (port: number) => Promise<boolean>;
  /**
   * Adds what is missing once the server answers. Each process that opens the server calls it,
   * under the lock. Must be safe to repeat.
   */
  complete: (port: number) => Promise<void>;
  /** True if a start that failed with this log may succeed when it is repeated. */
  mayRepeat: (logTail: string) => boolean;
};

export type SharedProcess = { port: number; pid: number; close: () => Promise<void> };

// A recovery after a crash on a slow disk takes tens of seconds. Longer than this is a fault.
const START_TIMEOUT_MS = 60_000;
// The time for which failed starts are repeated. Children of a killed server need a moment to end,
// and a taken port needs another port.
const REPEAT_FOR_MS = 15_000;
const REPEAT_PAUSE_MS = 200;
const POLL_MS = 25;
// The time that each signal may take: fast shutdown, immediate shutdown, SIGKILL.
const STOP_STEPS = [
  { signal: "SIGINT", waitMs: 20_000 },
  { signal: "SIGQUIT", waitMs: 5_000 },
  { signal: "SIGKILL", waitMs: 5_000 },
] as const;
const LOG_LIMIT_BYTES = 16 * 1024 * 1024;
const LOG_TAIL_BYTES = 2_048;

/**
 * Uses the data directory's server, or starts it, on its earlier port if that is free. `close`
 * stops using it, and the last live user ends it; a killed user no longer counts. Safe for any
 * number of processes at the same time, and more than once in one process.
 * @throws Fault with the server's code if it cannot be started
 */
export async function openSharedProcess(
  server: SharedServer,
  log: DevelopmentLog,
): Promise<SharedProcess> {
  mkdirSync(server.dataDir, { recursive: true, mode: 0o700 });
  const self = identityOf(process.pid) ?? { pid: process.pid, startedAt: null };
  const me = { ...self, token: randomUUID() };
  const opened = await underRunLock(server, async () => {
    const record = readRecord(server);
    const users = [...(record?.users.filter(isAlive) ?? []), me];
    const live = await liveServer(server, record);
    const { port, process } = live ?? (await start(server, { preferredPort: record?.port, users }));
    writeRecord(server, { port, server: process, users });
    const incomplete = await server.complete(port).then(
      () => undefined,
      (cause: unknown) => ({ cause }),
    );
    return { port, process, adopted: live !== undefined, incomplete };
  });
  const { port, process: running, adopted } = opened;
  let closing: Promise<void> | undefined;
  const close = () => {
    closing ??= leave(server, { token: me.token, running }, log);
    return closing;
  };
  if (opened.incomplete !== undefined) {
    await close();
    throw opened.incomplete.cause;
  }
  log.info(
    { port, pid: running.pid },
    adopted ? `${server.name}.joined` : `${server.name}.started`,
  );
  return { port, pid: running.pid, close };
}

/** Ends the process with stronger and stronger signals. Resolves when it has ended. */
export async function stopProcess(target: ProcessIdentity): Promise<void> {
  for (const { signal, waitMs } of STOP_STEPS) {
    if (!isAlive(target)) return;
    try {
      process.kill(target.pid, signal);
    } catch (error) {
      if (isAlive(target)) throw error;
      return;
    }
    const deadline = Date.now() + waitMs;
    while (isAlive(target) && Date.now() < deadline) await sleep(POLL_MS);
  }
}

async function leave(
  server: SharedServer,
  mine: { token: string; running: ProcessIdentity },
  log: DevelopmentLog,
): Promise<void> {
  mkdirSync(server.dataDir, { recursive: true, mode: 0o700 });
  await underRunLock(server, async () => {
    const record = readRecord(server);
    const users = record?.users.filter((user) => user.token !== mine.token && isAlive(user)) ?? [];
    const port = record?.port ?? 0;
    const running = record === undefined ? mine.running : record.server;
    if (users.length > 0 || running === null) {
      writeRecord(server, { port, server: running, users });
      return;
    }
    await stopProcess(running);
    writeRecord(server, { port, server: null, users: [] });
    log.info({ pid: running.pid }, `${server.name}.stopped`);
  });
}

// If a server's process runs but does not answer, waits as long as a start may take. Then stops it,
// and starts it again.
async function liveServer(server: SharedServer, record: RunRecord | undefined) {
  const running = record?.server ?? null;
  if (record === undefined || running === null) return undefined;
  const deadline = Date.now() + START_TIMEOUT_MS;
  while (isAlive(running) && Date.now() < deadline) {
    if (await server.answers(record.port)) return { port: record.port, process: running };
    await sleep(POLL_MS);
  }
  await stopProcess(running);
  return undefined;
}

async function start(
  server: SharedServer,
  options: { preferredPort: number | undefined; users: RunRecord["users"] },
): Promise<{ port: number; process: ProcessIdentity }> {
  await server.prepare();
  const deadline = Date.now() + REPEAT_FOR_MS;
  for (;;) {
    const port = await freePort(options.preferredPort);
    const logStart = trimmedLogBytes(server.logFile);
    const outcome = await startOnce(server, port, options.users);
    if (outcome.started) return { port, process: outcome.process };
    const tail = logTail(server.logFile, logStart);
    if (!server.mayRepeat(tail) || Date.now() > deadline) {
      throw new Fault(
        server.faultCode,
        `The local ${server.name} server could not start (${outcome.reason}): see ${server.logFile}.`,
        { cause: outcome.cause, facts: { logFile: server.logFile, logTail: tail, port } },
      );
    }
    await sleep(REPEAT_PAUSE_MS);
  }
}

type StartOutcome =
  | { started: true; process: ProcessIdentity }
  | { started: false; reason: string; cause?: unknown };

async function startOnce(
  server: SharedServer,
  port: number,
  users: RunRecord["users"],
): Promise<StartOutcome> {
  mkdirSync(dirname(server.logFile), { recursive: true, mode: 0o700 });
  const output = openSync(server.logFile, "a", 0o600);
  const child = server.spawn(port, output);
  closeSync(output);
  let ended: { reason: string; cause?: unknown } | undefined;
  child.once("error", (cause) => {
    ended = { reason: cause.message, cause };
  });
  child.once("exit", (code, signal) => {
    ended ??= { reason: signal === null ? `it exited with status ${code}` : `it got ${signal}` };
  });
  const process = child.pid === undefined ? undefined : identityOf(child.pid);
  // Recorded before it answers. If this process dies in between, the next one finds the server.
  if (process !== undefined) writeRecord(server, { port, server: process, users });
  const deadline = Date.now() + START_TIMEOUT_MS;
  while (ended === undefined && Date.now() < deadline) {
    if (process !== undefined && (await server.answers(port))) {
      child.unref();
      return { started: true, process };
    }
    await sleep(POLL_MS);
  }
  if (process !== undefined) await stopProcess(process);
  writeRecord(server, { port, server: null, users: users.slice(0, -1) });
  const silent = `it did not answer within ${START_TIMEOUT_MS / 1_000} s`;
  return { started: false, ...(ended ?? { reason: silent }) };
}

function trimmedLogBytes(path: string): number {
  const bytes = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  if (bytes <= LOG_LIMIT_BYTES) return bytes;
  truncateSync(path, 0);
  return 0;
}

function logTail(path: string, fromByte: number): string {
  const written = readFileSync(path).subarray(fromByte);
  return written
    .subarray(Math.max(0, written.length - LOG_TAIL_BYTES))
    .toString("utf8")
    .trim();
}
