// Shows that GET /balance and the pages of GET /transactions stay index scans of at most a row more than they show,
// over ten million transactions (or as many as the argument says), each with its time. Takes some ten minutes and
// about ten gigabytes. Usage: node scripts/plans-at-scale.mjs [rows]
import { spawnSync } from "node:child_process";

const rows = process.argv[2] ?? "10000000";
const args = ["scripts/test.mjs", "test/integration/ledger/transactions/list-plans.test.ts"];
const { status } = spawnSync(process.execPath, args, {
  stdio: "inherit",
  env: { ...process.env, CHAINBELL_PLAN_ROWS: rows },
});
process.exitCode = status ?? 1;
