// Starts a daemon 50,000 blocks behind an anvil chain (or as many as the argument says) with transfers among them,
// kills it on the way, and shows that it catches up to every row; prints its resident memory as it goes, in MB.
// Usage: node scripts/far-behind.mjs [blocks]
import { spawnSync } from "node:child_process";

const blocks = process.argv[2] ?? "50000";
const args = ["scripts/test.mjs", "test/e2e/catch-up.test.ts", "-t", "far behind"];
const { status } = spawnSync(process.execPath, args, {
  stdio: "inherit",
  env: { ...process.env, CHAINBELL_FAR_BLOCKS: blocks },
});
process.exitCode = status ?? 1;
