// Sends hostile requests at every route of the API: 20,000 of them, or as many as the first argument says, from the
// seed that the second one gives. Usage: node scripts/hostile-requests.mjs [count] [seed]
import { spawnSync } from "node:child_process";

const [count = "20000", seed] = process.argv.slice(2);
const args = ["scripts/test.mjs", "test/integration/api/hostile.test.ts"];
const { status } = spawnSync(process.execPath, args, {
  stdio: "inherit",
  env: {
    ...process.env,
    CHAINBELL_HOSTILE_REQUESTS: count,
    ...(seed === undefined ? {} : { CHAINBELL_HOSTILE_SEED: seed }),
  },
});
process.exitCode = status ?? 1;
