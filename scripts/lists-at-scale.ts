// Asks every list that a page of the console shows, over a million transactions (or as many as the
// argument says), and prints how long each takes, the slowest first: the median of five. There is a
// wallet for each ten transactions, and a business for each 500. Takes some ten minutes and about
// three gigabytes. Usage: node scripts/run.mjs lists-at-scale [rows]
import { runTest } from "./run-test.ts";

const rows = process.argv[2] ?? "1000000";
process.exitCode = runTest(["test/integration/api/lists-at-scale.test.ts"], {
  CHAINBELL_LIST_ROWS: rows,
});
