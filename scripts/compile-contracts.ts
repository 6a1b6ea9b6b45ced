// Compiles contracts/*.sol into contracts/*.artifact.json ({ abi, bytecode }), which are checked
// in.
// Usage: node scripts/run.mjs compile-contracts
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { compileSolidity } from "../test/support/chain/contracts.ts";
import { inCheckout } from "../test/support/checkout.ts";

for (const file of readdirSync(inCheckout("contracts")).filter((name) => name.endsWith(".sol"))) {
  const source = readFileSync(inCheckout("contracts", file), "utf8");
  // The oldest rules that every chain of today runs, and bytes that depend on nothing but the
  // source.
  const contracts = await compileSolidity(source, { evmVersion: "paris", metadata: "none" });
  const [found, ...others] = Object.entries(contracts);
  if (found === undefined || others.length > 0) throw new Error(`${file} must hold one contract.`);
  const [name, { abi, bytecode }] = found;
  const artifact = `contracts/${file.replace(/\.sol$/, ".artifact.json")}`;
  writeFileSync(inCheckout(artifact), `${JSON.stringify({ abi, bytecode }, null, 2)}\n`);
  process.stderr.write(`${artifact}: ${name}, ${(bytecode.length - 2) / 2} bytes\n`);
}
