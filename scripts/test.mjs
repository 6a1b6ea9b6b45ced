// @ts-check
// Runs the tests: everything, or what vitest's arguments say. Usage: node scripts/test.mjs [vitest's arguments]
import { spawn, spawnSync } from "node:child_process";
import { constants, totalmem } from "node:os";
import { fileURLToPath } from "node:url";
import { prepare, prepareTools } from "./prepare.mjs";

// A stop that takes longer hangs; what the tests started ends with vitest either way.
const STOP_TIMEOUT_MS = 30_000;

await prepare();
// Some tests start a compiled program of their own.
await prepareTools();
const root = fileURLToPath(new URL("..", import.meta.url));
const vitest = fileURLToPath(new URL("../node_modules/vitest/vitest.mjs", import.meta.url));
// For root, the clusters of PostgreSQL lie here (src/development/postgres/postgres-cluster.ts). This puts them into memory
// for what the tests start, and for nobody else: a cluster has a thousand files, which each take long on a disk.
// A machine with little memory keeps them on its disk.
const mount = 'mkdir -p "$0" && mount -t tmpfs -o size=6g,mode=755 chainbell "$0" && exec "$@"';
const inMemory = ["unshare", "--mount", "sh", "-c", mount, "/var/lib/chainbell"];
const [tryIt = "", ...how] = [...inMemory, "true"];
const hasMemory = totalmem() > 16 * 2 ** 30;
const mayMount = hasMemory && spawnSync(tryIt, how, { stdio: "ignore" }).status === 0;
const [command = "", ...args] = [
  ...(mayMount ? inMemory : []),
  ...[process.execPath, vitest, "run", ...process.argv.slice(2)],
];
const child = spawn(command, args, {
  cwd: root,
  stdio: "inherit",
});

for (const signal of /** @type {const} */ (["SIGINT", "SIGTERM", "SIGHUP"])) {
  process.on(signal, () => {
    // The terminal's Ctrl-C reaches the whole group: vitest has it already.
    if (signal !== "SIGINT" || !process.stdin.isTTY) child.kill(signal);
    setTimeout(() => child.kill("SIGKILL"), STOP_TIMEOUT_MS).unref();
  });
}
child.on("error", (error) => {
  process.stderr.write(`chainbell: vitest could not start: ${error.message}\n`);
  process.exitCode = 1;
});
child.on("exit", (status, signal) => {
  process.exitCode = signal === null ? (status ?? 1) : 128 + constants.signals[signal];
});
