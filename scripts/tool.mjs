// @ts-check
// Runs one of the tools of test/package.json, which is installed when it is first needed.
// Usage: node scripts/tool.mjs <tool> [arguments]
import { spawnSync } from "node:child_process";
import { installTools, prepare, toolProgram } from "./prepare.mjs";

const [name, ...args] = process.argv.slice(2);
if (name === undefined) {
  process.stderr.write("usage: node scripts/tool.mjs <tool> [arguments]\n");
  process.exit(1);
}
await prepare();
await installTools();
const program = toolProgram(name);
const { status } = spawnSync(program, args, {
  stdio: "inherit",
  shell: program.endsWith(".cmd"),
});
process.exitCode = status ?? 1;
