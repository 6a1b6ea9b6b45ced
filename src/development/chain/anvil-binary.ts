import { createRequire } from "node:module";
import { Fault } from "../../domain/fault.ts";

/**
 * The path of this platform's own anvil program. The package's `anvil` is a Node program around it,
 * which would be one more process to end.
 * @throws Fault `local_chain_failed` if this platform has none
 */
export function anvilBinary(): string {
  const arch = process.arch === "x64" ? "amd64" : process.arch;
  const name = `@foundry-rs/anvil-${process.platform}-${arch}`;
  try {
    // This package depends on the platform's package, which may be installed below it.
    const owner = createRequire(import.meta.url).resolve("@foundry-rs/anvil/package.json");
    const suffix = process.platform === "win32" ? ".exe" : "";
    return createRequire(owner).resolve(`${name}/bin/anvil${suffix}`);
  } catch (cause) {
    throw new Fault(
      "local_chain_failed",
      `The package ${name} with the local chain for this platform is not installed: run npm ci, or configure a chain.`,
      { cause, facts: { package: name } },
    );
  }
}
