// @ts-check
// Runs one of the programs from a checkout, in this same process, so that signals and the exit status are its own.
// Usage: node scripts/run.mjs <program> [arguments]
// The first three are the daemon's and run from dist; the others are tools of development and run from dist-tools.
import { readFileSync } from "node:fs";
import { prepare, prepareTools } from "./prepare.mjs";

const tools = "../dist-tools";
const programs = new Map([
  ["main", "../dist/bin/main.js"],
  ["cli", "../dist/bin/cli.js"],
  ["demo", "../dist/bin/demo.js"],
  ["bench", `${tools}/bench/run.js`],
  ["block-to-webhook", `${tools}/bench/block-to-webhook/main.js`],
  ["soak", `${tools}/bench/long/soak.js`],
  ["fairness", `${tools}/bench/long/fairness.js`],
  ["chaos", `${tools}/bench/long/chaos.js`],
  ["upgrade", `${tools}/bench/long/upgrade.js`],
  ["hand-over", `${tools}/bench/long/hand-over.js`],
  ["throttled", `${tools}/bench/long/throttled.js`],
  ["tenants", `${tools}/bench/long/tenants.js`],
  ["added-token", `${tools}/bench/long/added-token.js`],
  ["held-loop", `${tools}/bench/long/held-loop.js`],
  ["neighbours", `${tools}/bench/long/neighbours.js`],
  ["claim-cost", `${tools}/bench/long/claim-cost.js`],
  ["recovery-cost", `${tools}/bench/long/recovery-cost.js`],
  ["topologies", `${tools}/bench/topologies/main.js`],
  ["simulate", `${tools}/test/simulation/main.js`],
  ["convert-samples", `${tools}/scripts/convert-samples.js`],
  ["real-chains", `${tools}/test/real-chains/main.js`],
  ["liars", `${tools}/test/liars/main.js`],
  ["requests-per-block", `${tools}/scripts/requests-per-block.js`],
  ["far-behind", `${tools}/scripts/far-behind.js`],
  ["lists-at-scale", `${tools}/scripts/lists-at-scale.js`],
  ["plans-at-scale", `${tools}/scripts/plans-at-scale.js`],
  ["config-schema", `${tools}/scripts/config-schema.js`],
  ["alert-rules", `${tools}/scripts/alert-rules.js`],
  ["chain-table", `${tools}/scripts/chain-table.js`],
  ["schema-drift", `${tools}/scripts/schema-drift.js`],
  ["verify-attestation", `${tools}/scripts/verify-attestation.js`],
  ["verify-statement", `${tools}/scripts/verify-statement.js`],
  ["printed-samples", `${tools}/scripts/printed-samples.js`],
  ["monitoring", `${tools}/scripts/monitoring.js`],
  ["mutants", `${tools}/scripts/mutants.js`],
  ["recipes", `${tools}/scripts/recipes.js`],
  ["production", `${tools}/scripts/production.js`],
  ["compile-contracts", `${tools}/scripts/compile-contracts.js`],
]);

const [name, ...args] = process.argv.slice(2);
const file = programs.get(name ?? "");
if (file === undefined) {
  process.stderr.write(
    `usage: node scripts/run.mjs ${[...programs.keys()].join("|")} [arguments]\n`,
  );
  process.exit(1);
}
await prepare();
const isTool = file.startsWith(tools);
const help = isTool ? headOf(file) : "";
if (help !== "" && args.includes("--help")) {
  process.stdout.write(help);
  process.exit(0);
}
if (isTool) await prepareTools();
process.argv = [process.execPath, new URL(file, import.meta.url).pathname, ...args];
try {
  await import(file);
} catch (error) {
  if (help === "" || !isAboutArguments(error)) throw error;
  process.stderr.write(`${error.message}\n\n${help}`);
  process.exit(1);
}

/**
 * What the source of a tool says of itself at its head. Empty: the tool has help of its own.
 * @param {string} compiled
 */
function headOf(compiled) {
  const source = compiled.replace(tools, "..").replace(/\.js$/, ".ts");
  const lines = readFileSync(new URL(source, import.meta.url), "utf8").split("\n");
  const end = lines.findIndex((line) => !line.startsWith("//"));
  return lines
    .slice(0, end)
    .map((line) => `${line.replace(/^\/\/ ?/, "")}\n`)
    .join("");
}

/**
 * @param {unknown} error
 * @returns {error is Error}
 */
function isAboutArguments(error) {
  const code = error instanceof Error && "code" in error ? error.code : null;
  return typeof code === "string" && code.startsWith("ERR_PARSE_ARGS");
}
