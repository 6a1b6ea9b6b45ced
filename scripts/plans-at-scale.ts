// Shows that GET /balance and the pages of GET /transactions stay index scans of at most a row more
// than they show, over ten million transactions (or as many as the argument says), each with its
// time. Takes some ten minutes and about ten gigabytes. Usage: node scripts/run.mjs plans-at-scale
// [rows]
import { runTest } from "./run-test.ts";

const rows = process.argv[2] ?? "10000000";
process.exitCode = runTest(["test/integration/ledger/transactions/list-plans.test.ts"], {
  CHAINBELL_PLAN_ROWS: rows,
});
