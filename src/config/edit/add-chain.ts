import { rename, stat, writeFile } from "node:fs/promises";
import { isMap, isSeq, parseDocument } from "yaml";
import { Fault } from "../../domain/fault.ts";
import type { NewChain } from "../../domain/setup/new-chain.ts";
import { readConfigFile } from "../config-file.ts";

/** Editors with a YAML language server then know the file's keys. */
const firstLine = "# yaml-language-server: $schema=./chainbell.schema.json\n";

/**
 * Adds a chain to the file, which is made if it is missing. The rest of it does not change,
 * including comments.
 * @returns whether the file was made
 * @throws Fault `invalid_configuration` if it is no YAML with a list of chains, or has that chain
 *   already
 */
export async function addChainToFile(path: string, chain: NewChain): Promise<boolean> {
  const text = await readConfigFile(path);
  const draft = `${path}.new`;
  await writeFile(draft, withChain(text, chain), { mode: await modeOf(path) });
  await rename(draft, path);
  return text === null;
}

/**
 * The mode of an existing file. A new one is readable only by its owner: it may have keys of
 * providers.
 */
async function modeOf(path: string): Promise<number> {
  const known = await stat(path).catch(() => null);
  return known === null ? 0o600 : known.mode & 0o777;
}

function withChain(text: string | null, chain: NewChain): string {
  const document = parseDocument(text ?? `${firstLine}chains: []\n`);
  if (document.errors.length > 0) throw refused("it is not YAML: see `config check`");
  const chains = document.get("chains") ?? null;
  const entry = document.createNode(entryOf(chain));
  if (chains === null) document.set("chains", document.createNode([entry]));
  else if (!isSeq(chains)) throw refused("`chains` is not a list");
  else {
    for (const item of chains.items) {
      if (!isMap(item)) continue;
      if (item.get("name") === chain.name) throw refused(`it has a chain '${chain.name}' already`);
      if (item.get("chain_id") === chain.chainId)
        throw refused(`it has a chain with the id ${chain.chainId} already`);
    }
    chains.flow = false;
    chains.add(entry);
  }
  return document.toString({ lineWidth: 0 });
}

function entryOf({ name, chainId, rpc, tokens }: NewChain) {
  const assets = tokens.map(({ code, address, decimals }) => ({ code, address, decimals }));
  return { name, chain_id: chainId, rpc, ...(assets.length === 0 ? {} : { assets }) };
}

function refused(why: string): Fault {
  return new Fault("invalid_configuration", `The configuration file is left as it is: ${why}.`);
}
