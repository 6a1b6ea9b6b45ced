// Runs the simulation: seeded chains, faults and an oracle against the real watcher, ledger, relay and dispatcher.
// Usage: node scripts/simulate.mjs [--seeds N] [--from M] [--seed N] [--help]
import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { prepare } from "./prepare.mjs";

prepare();
const program = fileURLToPath(
  new URL("../test/support/process/run-typescript.mjs", import.meta.url),
);
const args = [program, "test/simulation/main.ts", ...process.argv.slice(2)];
const child = spawn(process.execPath, args, { stdio: "inherit" });
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
child.on("exit", (status) => {
  process.exitCode = status ?? 1;
});
