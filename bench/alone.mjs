// Runs one benchmark in a process group and a temporary folder of its own, and leaves nothing of either behind, however
// it ends.
import { fork } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

const endSignals = ["SIGINT", "SIGTERM", "SIGHUP"];

/** Resolves with its lines, or null where it failed. A signal that ends this process ends the benchmark first. */
export async function runAlone(name, { quick }) {
  const folder = await mkdtemp(join(tmpdir(), "chainbell-bench-"));
  // PostgreSQL is another user where we are root.
  await chmod(folder, 0o711);
  const child = fork(new URL("one.mjs", import.meta.url), [name, ...(quick ? ["--quick"] : [])], {
    execArgv: ["--expose-gc"],
    env: { ...process.env, TMPDIR: folder },
    detached: true,
  });
  const cleanUp = async () => {
    endGroup(child.pid);
    await removeClusters(folder);
    await rm(folder, { recursive: true, force: true });
  };
  const interrupted = (signal) =>
    cleanUp().finally(() => process.exit(signal === "SIGINT" ? 130 : 143));
  for (const signal of endSignals) process.once(signal, interrupted);
  let lines = null;
  child.on("message", (said) => {
    lines = said;
  });
  const [code] = await once(child, "exit");
  await cleanUp();
  for (const signal of endSignals) process.off(signal, interrupted);
  return code === 0 ? lines : null;
}

function endGroup(leader) {
  try {
    process.kill(-leader, "SIGKILL");
  } catch {
    // It has ended already.
  }
}

/** PostgreSQL keeps to a group of its own. Compiled code, which there is by now. */
async function removeClusters(folder) {
  const { removeEmbeddedPostgres } = await import(
    "../dist/development/postgres/embedded-postgres.js"
  );
  for (const name of await readdir(folder)) await removeEmbeddedPostgres(join(folder, name));
}
