// @ts-check
// Writes a CycloneDX bill of what an installation for production has to the standard output: the packages of `npm ls
// --omit=dev`. `npm sbom --omit=dev` leaves out what a development dependency needs as well, such as pg.
// Usage: npm run -s sbom > sbom.json
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

/**
 * @typedef {{ "bom-ref": string, properties?: { name: string, value: string }[] }} Component
 * @typedef {{ ref: string, dependsOn: string[] }} Dependency
 * @typedef {{ components: Component[], dependencies: Dependency[] }} Bill
 */

const { status, stdout, stderr } = spawnSync(
  "npm sbom --package-lock-only --sbom-format=cyclonedx",
  {
    cwd: fileURLToPath(new URL("..", import.meta.url)),
    shell: true,
    encoding: "utf8",
    maxBuffer: 64 * 1024 * 1024,
  },
);
if (status !== 0) throw new Error(`npm sbom failed:\n${stderr}`);
/** @type {Bill} of everything that the lock file names */
const bill = JSON.parse(stdout);

const isForDevelopment = (/** @type {Component} */ { properties = [] }) =>
  properties.some(({ name }) => name === "cdx:npm:package:development");
const tools = new Set(bill.components.filter(isForDevelopment).map((one) => one["bom-ref"]));
const production = {
  ...bill,
  components: bill.components.filter((one) => !tools.has(one["bom-ref"])),
  dependencies: bill.dependencies
    .filter(({ ref }) => !tools.has(ref))
    .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((on) => !tools.has(on)) })),
};
process.stdout.write(`${JSON.stringify(production, null, 2)}\n`);
