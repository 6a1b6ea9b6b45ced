import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chownSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "pg";
import { postgresUser } from "../../../src/development/postgres/system-user.ts";
import { hasProgram } from "../process/debian-package.ts";
import { freePort } from "../process/free-port.ts";
import { endWithUs, removeWithUs } from "../process/reaper.ts";
import { waitFor } from "../wait-for.ts";
import { overTcp } from "./databases.ts";

const program = "pgbouncer";

const versionOf = () => spawnSync(program, ["--version"], { encoding: "utf8" }).stdout ?? null;

/** Whether this machine has a PgBouncer. Without one, what needs it is skipped by name. */
export const hasPgBouncer = hasProgram(program, ["--version"]);

export type PoolMode = "transaction" | "session";

/**
 * A PgBouncer of its own in front of a database, as Debian has it configured but for the pool's
 * mode, and without support for prepared statements, which it has from 1.21 on. Whoever starts it
 * stops it.
 */
export async function startPgBouncer(databaseUrl: string, mode: PoolMode) {
  const target = overTcp(databaseUrl);
  const port = await freePort();
  const folder = mkdtempSync(join(tmpdir(), "chainbell-pgbouncer-"));
  removeWithUs(folder);
  const users = join(folder, "users.txt");
  const settings = join(folder, "pgbouncer.ini");
  writeFileSync(users, `"${target.username}" "${decodeURIComponent(target.password)}"\n`);
  writeFileSync(
    settings,
    [
      "[databases]",
      `* = host=${target.hostname} port=${target.port}`,
      "[pgbouncer]",
      "listen_addr = 127.0.0.1",
      `listen_port = ${port}`,
      "unix_socket_dir =",
      "auth_type = trust",
      `auth_file = ${users}`,
      `pool_mode = ${mode}`,
      // Fewer than the daemons' own connections, so that statements change servers.
      `default_pool_size = ${mode === "transaction" ? 8 : 90}`,
      "max_client_conn = 200",
      ...(hasPreparedStatements() ? ["max_prepared_statements = 0"] : []),
    ].join("\n"),
  );
  const user = postgresUser();
  for (const path of [folder, users, settings])
    if (user !== undefined) chownSync(path, user.uid, user.gid);
  const child = spawn(program, ["-q", settings], { ...user, stdio: ["ignore", "ignore", "pipe"] });
  let output = "";
  child.stderr.on("data", (chunk: Buffer) => {
    output = `${output}${chunk}`.slice(-4_000);
  });
  const reaped = endWithUs(child.pid ?? 0);
  const url = overTcp(databaseUrl);
  url.host = `127.0.0.1:${port}`;
  await waitFor(() => child.exitCode !== null || answers(url.href), {
    what: "PgBouncer to answer",
    timeoutMs: 20_000,
  });
  if (child.exitCode !== null) throw new Error(`PgBouncer ended at its start: ${output}`);
  return {
    url: url.href,
    async stop() {
      const exited = once(child, "exit");
      // At once: it would wait for its clients.
      child.kill("SIGQUIT");
      await exited;
      reaped.forget();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function hasPreparedStatements(): boolean {
  const [, major = "0", minor = "0"] = /(\d+)\.(\d+)/.exec(versionOf() ?? "") ?? [];
  return Number(major) > 1 || Number(minor) >= 21;
}

async function answers(connectionString: string): Promise<boolean> {
  const client = new Client({ connectionString, connectionTimeoutMillis: 2_000 });
  client.on("error", () => {});
  try {
    await client.connect();
    await client.query("SELECT 1");
    return true;
  } catch {
    return false;
  } finally {
    await client.end().catch(() => {});
  }
}
