// Starts a daemon 50,000 blocks behind an anvil chain (or as many as the argument says) with
// transfers among them, kills it on the way, and shows that it catches up to every row; prints its
// resident memory as it goes, in MB.
// Usage: node scripts/run.mjs far-behind [blocks]
import { runTest } from "./run-test.ts";

const blocks = process.argv[2] ?? "50000";
process.exitCode = runTest(["test/e2e/catch-up.test.ts", "-t", "far behind"], {
  CHAINBELL_FAR_BLOCKS: blocks,
});
