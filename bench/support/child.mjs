// Programs of a benchmark in processes of their own.
import { fork, spawn } from "node:child_process";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { freePort } from "../../dist/development/process/free-port.js";

const stopTimeoutMs = 25_000;

/**
 * The built daemon as production runs it, ready. `given` is its environment; `file` its configuration; `nodeArgs` go
 * to Node, for a profile. Its log is written, to nowhere.
 */
export async function startDaemon({ dir, name, file, given, nodeArgs = [], onStarted = () => {} }) {
  const path = join(dir, `${name}.yaml`);
  await writeFile(path, JSON.stringify(file));
  const port = await freePort();
  const { PATH, HOME } = process.env;
  const env = { PATH, HOME, NODE_ENV: "production", PORT: String(port), CHAINBELL_CONFIG: path };
  const main = fileURLToPath(new URL("../../dist/bin/main.js", import.meta.url));
  const child = spawn(process.execPath, [...nodeArgs, main], {
    env: { ...env, ...given },
    cwd: dir,
    stdio: ["ignore", "ignore", "inherit"],
  });
  onStarted();
  const url = `http://127.0.0.1:${port}`;
  try {
    await untilReady(child, url);
  } catch (error) {
    child.kill("SIGKILL");
    throw error;
  }
  return { url, pid: child.pid, stop: () => stop(child) };
}

/** A module of this folder that listens; it says its port when it does. */
export async function startModule(name, args) {
  const child = fork(new URL(name, import.meta.url), args.map(String), { execArgv: [] });
  const [said] = await Promise.race([
    once(child, "message"),
    once(child, "exit").then(([code]) => {
      throw new Error(`${name} ended with status ${code}`);
    }),
  ]);
  return {
    said,
    pid: child.pid,
    /** Sends a question and resolves with the answer. */
    async ask(question) {
      child.send(question);
      return (await once(child, "message"))[0];
    },
    stop: () => stop(child),
  };
}

async function untilReady(child, url) {
  const giveUpAtMs = Date.now() + 60_000;
  for (;;) {
    if (child.exitCode !== null) throw new Error(`the daemon ended with status ${child.exitCode}`);
    const answer = await fetch(`${url}/health/ready`).catch(() => null);
    await answer?.arrayBuffer();
    if (answer?.status === 200) return;
    if (Date.now() > giveUpAtMs) throw new Error("the daemon did not become ready");
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

async function stop(child) {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, "exit");
  child.kill("SIGTERM");
  const kill = setTimeout(() => child.kill("SIGKILL"), stopTimeoutMs);
  await ended;
  clearTimeout(kill);
}
