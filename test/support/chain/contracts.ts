import { createHash, randomUUID } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { inUserCache } from "../checkout.ts";

export type CompiledContract = { abi: readonly unknown[]; bytecode: `0x${string}` };

const require = createRequire(import.meta.url);
const cache = inUserCache("chainbell-contracts");

type CompileOptions = {
  evmVersion: string;
  /**
   * Whether the bytecode ends with the compiler's metadata, by which it depends on more than the
   * source.
   */
  metadata: "appended" | "none";
};

const defaults: CompileOptions = { evmVersion: "paris", metadata: "appended" };

type SolcOutput = {
  errors?: { severity: string; formattedMessage: string }[];
  contracts?: {
    [file: string]: { [name: string]: { abi: unknown[]; evm: { bytecode: { object: string } } } };
  };
};

/**
 * Compiles Solidity source, which may import `@openzeppelin/contracts/...`, and answers its
 * contracts by name. Compiled once on a machine: the result is kept in the user's cache folder, by
 * the hash of what went in. Throws with the compiler's words.
 */
export async function compileSolidity(
  source: string,
  given: Partial<CompileOptions> = {},
): Promise<Record<string, CompiledContract>> {
  const options = { ...defaults, ...given };
  const version = (require("solc/package.json") as { version: string }).version;
  const oz = (require("@openzeppelin/contracts/package.json") as { version: string }).version;
  const key = createHash("sha256")
    .update(JSON.stringify([version, oz, options, source]))
    .digest("hex");
  const path = join(cache, `${key}.json`);
  if (existsSync(path)) {
    return JSON.parse(readFileSync(path, "utf8")) as Record<string, CompiledContract>;
  }
  const contracts = await compile(source, options);
  mkdirSync(cache, { recursive: true });
  const draft = `${path}.${randomUUID()}`;
  writeFileSync(draft, JSON.stringify(contracts));
  renameSync(draft, path);
  return contracts;
}

async function compile(
  source: string,
  { evmVersion, metadata }: CompileOptions,
): Promise<Record<string, CompiledContract>> {
  // Loaded only when something must be compiled: it is megabytes of compiler.
  const solc = require("solc") as {
    compile: (input: string, callbacks: { import: (path: string) => object }) => string;
  };
  const input = {
    language: "Solidity",
    sources: { "source.sol": { content: source } },
    settings: {
      evmVersion,
      optimizer: { enabled: true, runs: 200 },
      ...(metadata === "none" ? { metadata: { bytecodeHash: "none", appendCBOR: false } } : {}),
      outputSelection: { "*": { "*": ["abi", "evm.bytecode.object"] } },
    },
  };
  const read = (path: string) => ({ contents: readFileSync(require.resolve(path), "utf8") });
  const output = JSON.parse(solc.compile(JSON.stringify(input), { import: read })) as SolcOutput;
  const errors = output.errors?.filter((problem) => problem.severity === "error") ?? [];
  if (errors.length > 0) throw new Error(errors.map((e) => e.formattedMessage).join("\n"));
  const compiled = Object.entries(output.contracts?.["source.sol"] ?? {});
  return Object.fromEntries(
    compiled.map(([name, { abi, evm }]) => [
      name,
      { abi, bytecode: `0x${evm.bytecode.object}` } satisfies CompiledContract,
    ]),
  );
}
