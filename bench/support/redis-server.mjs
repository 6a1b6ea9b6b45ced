// A Redis of a benchmark's own, which keeps nothing.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { freePort } from "../../dist/development/process/free-port.js";

/** Resolves when it answers; the machine must have a redis-server. */
export async function startRedis() {
  const port = await freePort();
  const kept = ["--save", "", "--appendonly", "no", "--maxmemory-policy", "noeviction"];
  const args = ["--port", String(port), "--bind", "127.0.0.1", ...kept];
  const child = spawn("redis-server", args, { stdio: ["ignore", "pipe", "inherit"] });
  await new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", (code) => reject(new Error(`redis-server ended with status ${code}`)));
    child.stdout.on("data", (text) => {
      if (String(text).includes("Ready to accept connections")) resolve();
    });
  });
  return {
    url: `redis://127.0.0.1:${port}`,
    async stop() {
      const ended = once(child, "exit");
      child.kill("SIGKILL");
      await ended;
    },
  };
}
