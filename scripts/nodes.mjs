// @ts-check
// Runs the demo and the tests under another version of Node: npm's package `node` brings the program.
// Usage: npm run nodes -- 26                   the demo, then every test
//        npm run nodes -- 26 demo              a program of run.mjs
//        npm run nodes -- 26 test unit/domain  some of the tests
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

const [version, name, ...args] = process.argv.slice(2);
if (version === undefined || !/^\d+(\.\d+){0,2}$/.test(version)) {
  process.stderr.write("usage: npm run nodes -- VERSION [test|PROGRAM [arguments]]\n");
  process.exit(1);
}
const wanted = name === undefined ? [["demo"], ["test"]] : [[name, ...args]];
for (const [program = "", ...rest] of wanted) {
  const script = program === "test" ? ["scripts/test.mjs"] : ["scripts/run.mjs", program];
  const { status } = spawnSync(
    "npm",
    ["exec", "--yes", `--package=node@${version}`, "--", "node", ...script, ...rest],
    {
      cwd: fileURLToPath(new URL("..", import.meta.url)),
      stdio: "inherit",
      shell: process.platform === "win32",
    },
  );
  if (status !== 0) process.exit(status ?? 1);
}
