import { defineConfig } from "vitest/config";

const shared = {
  environment: "node",
  pool: "forks",
  retry: 0,
  setupFiles: ["test/support/process/end-with-runner.ts"],
};

export default defineConfig({
  test: {
    maxWorkers: 2,
    projects: [
      {
        test: {
          ...shared,
          name: "pure",
          include: ["test/{unit,property,real-chains}/**/*.test.ts", "test/*.test.ts"],
          testTimeout: 20_000,
        },
      },
      {
        test: {
          ...shared,
          name: "real",
          include: ["test/{integration,simulation,liars,e2e}/**/*.test.ts"],
          // One PostgreSQL and one Redis for all of them; only started when one of them is asked for.
          globalSetup: ["test/support/process/global-setup.ts"],
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
    ],
  },
});
