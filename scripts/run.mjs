// Runs one of the programs (main, cli, demo) from a checkout, in this same process, so that signals and the exit
// status are its own. Usage: node scripts/run.mjs <program> [arguments]
import { prepare } from "./prepare.mjs";

const [program, ...args] = process.argv.slice(2);
const programs = new Map([
  ["main", "../dist/bin/main.js"],
  ["cli", "../dist/bin/cli.js"],
  ["demo", "../dist/bin/demo.js"],
]);
const file = programs.get(program);
if (file === undefined) {
  process.stderr.write(
    `usage: node scripts/run.mjs ${[...programs.keys()].join("|")} [arguments]\n`,
  );
  process.exit(1);
}
prepare();
process.argv = [process.argv[0], new URL(file, import.meta.url).pathname, ...args];
await import(file);
