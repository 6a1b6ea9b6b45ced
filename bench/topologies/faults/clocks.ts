import { randomUUID } from "node:crypto";
import { chmodSync, existsSync, mkdtempSync, renameSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { openClusterUnder } from "../../../test/support/ledger/cluster-under.ts";
import { removeWithUs } from "../../../test/support/process/reaper.ts";
import { waitFor } from "../../../test/support/wait-for.ts";
import type { Fault, Processes } from "../fault.ts";
import { usual } from "./usual.ts";

const hourMs = 3_600_000;
/** Of a clock that shows seconds. */
const nearMs = 3_000;
const machine = process.arch === "arm64" ? "aarch64" : "x86_64";
/** Debian's package faketime. */
const library = `/usr/lib/${machine}-linux-gnu/faketime/libfaketime.so.1`;

export const clockFaults = {
  "clock-back": ofDaemon("the daemon's clock is an hour behind, and right again", -hourMs),
  "clock-ahead": ofDaemon("the daemon's clock is an hour ahead, and right again", hourMs),
  "clock-half-minute": ofDaemon("the daemon's clock is 30 s behind, and right again", -30_000),
  "postgres-clock-back": ofPostgres(
    "PostgreSQL's clock is an hour behind, and right again",
    -hourMs,
  ),
  "postgres-clock-ahead": ofPostgres(
    "PostgreSQL's clock is an hour ahead, and right again",
    hourMs,
  ),
} satisfies Record<string, Fault>;

function ofDaemon(about: string, byMs: number): Fault {
  return {
    about,
    async open(world) {
      const { environment, step } = startClock();
      const ground = await usual(world);
      const [roles = ""] = ground.roles;
      const stepTo =
        (toMs: number) =>
        ({ running }: Processes) =>
          step(toMs, async () => {
            const { headers } = await fetch(`${running(roles).url}/health/live`);
            return Date.parse(headers.get("date") ?? "");
          });
      return { ...ground, environment, begin: stepTo(byMs), finish: stepTo(0) };
    },
  };
}

function ofPostgres(about: string, byMs: number): Fault {
  return {
    about,
    async open(world) {
      const { environment, step } = startClock();
      const cluster = await world.open(openClusterUnder(environment), (one) => one.end());
      const ground = await usual(world, await cluster.createDatabase("topology"));
      const stepTo = (toMs: number) => () => step(toMs, () => nowOf(ground.databaseUrl));
      return { ...ground, begin: stepTo(byMs), finish: stepTo(0) };
    },
  };
}

async function nowOf(connectionString: string): Promise<number> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  const { rows } = await client.query<{ now: Date }>("SELECT now() AS now");
  await client.end();
  return rows[0]?.now.getTime() ?? 0;
}

/**
 * A clock of the time of day for processes with this environment, right at first. Their other
 * clocks go on as they are.
 */
function startClock() {
  if (!existsSync(library)) throw new Error(`${library} is missing: install faketime.`);
  const folder = mkdtempSync(join(tmpdir(), "chainbell-clock-"));
  removeWithUs(folder);
  // PostgreSQL runs as a user of its own.
  chmodSync(folder, 0o755);
  const file = join(folder, "offset");
  const write = (byMs: number) => {
    const draft = join(folder, randomUUID());
    writeFileSync(draft, `${byMs < 0 ? "-" : "+"}${Math.abs(byMs) / 1_000}`, { mode: 0o644 });
    renameSync(draft, file);
  };
  write(0);
  const environment = {
    LD_PRELOAD: library,
    FAKETIME_TIMESTAMP_FILE: file,
    FAKETIME_NO_CACHE: "1",

    FAKETIME_DONT_FAKE_MONOTONIC: "1",
    NO_FAKE_STAT: "1",
  };
  return {
    environment,
    /**
     * Has it differ from the right time by so much, and sees to it that it does: `read` asks a
     * process for its time.
     */
    async step(byMs: number, read: () => Promise<number>): Promise<void> {
      write(byMs);
      const isStepped = async () => Math.abs((await read()) - Date.now() - byMs) < nearMs;
      await waitFor(isStepped, { what: "the clock to have stepped", timeoutMs: 10_000 });
    },
  };
}
