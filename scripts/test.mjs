// @ts-check
// Runs the tests: everything, or what vitest's arguments say. Usage: node scripts/test.mjs [vitest's arguments]
import { spawn } from "node:child_process";
import { constants } from "node:os";
import { fileURLToPath } from "node:url";
import { prepare, prepareTools } from "./prepare.mjs";

// A stop that takes longer hangs; what the tests started ends with vitest either way.
const STOP_TIMEOUT_MS = 30_000;

await prepare();
// Some tests start a compiled program of their own.
await prepareTools();
const root = fileURLToPath(new URL("..", import.meta.url));
const vitest = fileURLToPath(new URL("../node_modules/vitest/vitest.mjs", import.meta.url));
const child = spawn(process.execPath, [vitest, "run", ...process.argv.slice(2)], {
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
