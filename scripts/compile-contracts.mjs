// Compiles contracts/*.sol into contracts/*.artifact.json ({ abi, bytecode }), which are checked in.
// Usage: node scripts/compile-contracts.mjs
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import solc from "solc";

const folder = fileURLToPath(new URL("../contracts/", import.meta.url));
const require = createRequire(import.meta.url);

for (const file of readdirSync(folder).filter((name) => name.endsWith(".sol"))) {
  const { abi, bytecode, contract } = compile(file);
  const artifact = file.replace(/\.sol$/, ".artifact.json");
  writeFileSync(`${folder}${artifact}`, `${JSON.stringify({ abi, bytecode }, null, 2)}\n`);
  process.stderr.write(`contracts/${artifact}: ${contract}, ${(bytecode.length - 2) / 2} bytes\n`);
}

function compile(file) {
  const input = {
    language: "Solidity",
    sources: { [file]: { content: readFileSync(`${folder}${file}`, "utf8") } },
    settings: {
      // The oldest rules that every chain of today runs.
      evmVersion: "paris",
      optimizer: { enabled: true, runs: 200 },
      metadata: { bytecodeHash: "none", appendCBOR: false },
      outputSelection: { "*": { "*": ["abi", "evm.bytecode.object"] } },
    },
  };
  const read = (path) => ({ contents: readFileSync(require.resolve(path), "utf8") });
  const output = JSON.parse(solc.compile(JSON.stringify(input), { import: read }));
  const errors = (output.errors ?? []).filter((problem) => problem.severity === "error");
  if (errors.length > 0) {
    process.stderr.write(errors.map((problem) => problem.formattedMessage).join("\n"));
    process.exit(1);
  }
  const [[contract, compiled], ...others] = Object.entries(output.contracts[file]);
  if (others.length > 0) throw new Error(`${file} holds more than one contract.`);
  return { contract, abi: compiled.abi, bytecode: `0x${compiled.evm.bytecode.object}` };
}
