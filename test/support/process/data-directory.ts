import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { onTestFinished } from "vitest";
import { removeEmbeddedPostgres } from "../../../src/development/postgres/embedded-postgres.ts";
import { clusterHome } from "../../../src/development/postgres/postgres-cluster.ts";
import { identityOf } from "../../../src/development/process/process-identity.ts";
import { inCheckout } from "../checkout.ts";
import { endWithUs, removeWithUs } from "./reaper.ts";

/**
 * A data directory that goes, with every server that still runs in it, when the test is finished.
 */
export function temporaryDataDirectory(): string {
  const dataDir = realpathSync(mkdtempSync(join(tmpdir(), "chainbell-data-")));
  removeWithUs(dataDir);
  removeWithUs(clusterHome(dataDir));
  onTestFinished(async () => {
    for (const name of ["postgres", "chain"]) {
      const pid = serverPid(dataDir, name);
      if (pid !== undefined && identityOf(pid) !== undefined) process.kill(pid, "SIGKILL");
    }
    await removeEmbeddedPostgres(dataDir);
    rmSync(dataDir, { recursive: true, force: true });
  });
  return dataDir;
}

/** The process that `run.json` says runs that server; undefined when none does. */
export function serverPid(dataDir: string, name: string): number | undefined {
  try {
    const run = JSON.parse(readFileSync(join(dataDir, "run.json"), "utf8")) as {
      [name: string]: { server: { pid: number } | null };
    };
    return run[name]?.server?.pid;
  } catch {
    return undefined;
  }
}

export type OtherProcess = {
  url: string;
  /** Leaves the server in order and ends. */
  close: () => Promise<void>;
  /** Dies at once. */
  kill: () => Promise<void>;
};

/** Another process that uses the data directory's server. It ends with the test at the latest. */
export async function otherProcess(
  kind: "postgres" | "chain",
  dataDir: string,
): Promise<OtherProcess> {
  const program = inCheckout("dist-tools", "test", "support", "process", "hold-server.js");
  const stdio = ["pipe", "pipe", "inherit"] as const;
  const child = spawn(process.execPath, [program, kind, dataDir], {
    cwd: inCheckout(),
    stdio: [...stdio],
  });
  const reaped = endWithUs(child.pid ?? 0);
  const exited = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  const end = async (act: (process: ChildProcess) => void) => {
    act(child);
    await exited;
    reaped.forget();
  };
  const kill = () => end((process) => process.kill("SIGKILL"));
  onTestFinished(kill);
  const lines = createInterface(child.stdout);
  const url = await new Promise<string>((resolve, reject) => {
    lines.once("line", resolve);
    child.once("exit", (status) => reject(new Error(`it ended with status ${status}`)));
  });
  return { url, kill, close: () => end((process) => process.stdin?.write("close\n")) };
}
