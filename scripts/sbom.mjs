// @ts-check
// Writes a CycloneDX bill of what an installation for production runs to the standard output: the production packages, and
// those that the build copies or bundles into dist (see vendored.mjs, bundled.mjs and the console), which npm counts as development
// ones.
// Usage: npm run -s sbom > sbom.json
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { bundled } from "./bundled.mjs";
import { vendored } from "./vendored.mjs";

/**
 * @typedef {{ "bom-ref": string, name: string, properties?: { name: string, value: string }[] }} Component
 * @typedef {{ ref: string, dependsOn: string[] }} Dependency
 * @typedef {{ components: Component[], dependencies: Dependency[] }} Bill
 */

/** What the console's pages are made of beside our own files. */
const inPages = ["preact", "uplot", "openapi-fetch"];
const isDevelopment = "cdx:npm:package:development";

/** @returns {Bill} of everything that the lockfile names */
function readBill() {
  const { status, stdout, stderr } = spawnSync("npm sbom --sbom-format=cyclonedx", {
    cwd: fileURLToPath(new URL("..", import.meta.url)),
    shell: true,
    encoding: "utf8",
    maxBuffer: 64 * 1024 * 1024,
  });
  if (status !== 0) throw new Error(`npm sbom failed:\n${stderr}`);
  return JSON.parse(stdout);
}

/**
 * The parts of the bill that are in an installation for production.
 * @param {Bill} bill
 * @returns {Bill}
 */
function shippedOf(bill) {
  const needs = new Map(bill.dependencies.map(({ ref, dependsOn }) => [ref, dependsOn]));
  const shipped = new Set();
  /** @param {string} ref */
  const ship = (ref) => {
    if (shipped.has(ref)) return;
    shipped.add(ref);
    for (const needed of needs.get(ref) ?? []) ship(needed);
  };
  const bundledNames = new Set([...bundled.map(({ name }) => name), ...inPages]);
  const copiedNames = new Set(vendored.map(({ name }) => name));
  for (const component of bill.components) {
    const isOurs = component.properties?.some(({ name }) => name === isDevelopment) !== true;
    if (isOurs || bundledNames.has(component.name)) ship(component["bom-ref"]);
    // Only files that are named there are copied, and what they need is named there too.
    if (copiedNames.has(component.name)) shipped.add(component["bom-ref"]);
  }
  const components = bill.components
    .filter((component) => shipped.has(component["bom-ref"]))
    .map(({ properties = [], ...component }) => {
      const left = properties.filter(({ name }) => name !== isDevelopment);
      return left.length === 0 ? component : { ...component, properties: left };
    });
  const known = new Set(components.map((component) => component["bom-ref"]));
  const [root] = bill.dependencies;
  const dependencies = bill.dependencies
    .filter((one) => one === root || known.has(one.ref))
    .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((on) => known.has(on)) }));
  return { ...bill, components, dependencies };
}

process.stdout.write(`${JSON.stringify(shippedOf(readBill()), null, 2)}\n`);
