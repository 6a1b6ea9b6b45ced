import { defineConfig } from "vitest/config";
import { SlowFirst } from "./test/support/process/slow-first.ts";

// Waits have limits of their own, of progress and not of the clock (test/support/wait-for.ts). This
// ends only what hangs.
const hangsMs = 600_000;

// Node 20 compiles the WebAssembly of Prisma's client once more, optimised, as soon as it has run
// for a moment. The programs that tests start end before that pays: without it they take a third
// less CPU time. Node 26 waits for longer, and takes as long either way.
const unoptimised =
  'import { setFlagsFromString } from "node:v8"; setFlagsFromString("--liftoff-only");';

const shared = {
  environment: "node",
  pool: "forks",
  // Most of what tests allocate is garbage at once: V8's usual 16 MB for it cost 8 % of the CPU
  // time.
  execArgv: ["--max-semi-space-size=64"],
  // Node refuses the flag itself among NODE_OPTIONS.
  env: {
    CHAINBELL_TEST_NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(unoptimised)}`,
  },
  // Tests leave nothing behind in their process, so a worker loads what they test once for all of
  // its files.
  isolate: false,
  retry: 0,
  testTimeout: hangsMs,
  hookTimeout: hangsMs,
  setupFiles: ["test/support/process/end-with-runner.ts"],
};

export default defineConfig({
  test: {
    // Also on two processors: a test waits for PostgreSQL, Redis, a chain or a limit of ours for much
    // of its time. Six take as long as four (docs/decisions/0121-long-test-files-first.md).
    maxWorkers: 4,
    sequence: { sequencer: SlowFirst },
    // CI runs the tests in three parts, and each would transform all sources anew.
    experimental: { fsModuleCache: true },
    projects: [
      {
        test: {
          ...shared,
          name: "pure",
          include: ["test/{unit,property,real-chains}/**/*.test.ts", "test/*.test.ts"],
        },
      },
      {
        test: {
          ...shared,
          name: "real",
          include: ["test/{integration,simulation,liars,e2e}/**/*.test.ts"],
          // One PostgreSQL and one Redis for all of them; only started when one of them is asked
          // for.
          globalSetup: ["test/support/process/global-setup.ts"],
        },
      },
    ],
  },
});
