import { dirname, join } from "node:path";
import { isMap, isSeq, parseDocument, Scalar } from "yaml";
import { Fault } from "../../domain/fault.ts";
import { fileFault } from "../../domain/file-fault.ts";
import type { NewChain } from "../../domain/setup/new-chain.ts";
import { replaceFile } from "../../runtime/whole-files.ts";
import { readConfigFile } from "../config-file.ts";

/** A checkout has it beside the file; an image and an installed package do not. */
const schemaFile = "chainbell.schema.json";

/**
 * Adds a chain to the file, which is made if it is missing. Every other value and comment of the
 * file stays as it is, and so do its rights. The file is replaced as `replaceFile` does it.
 * @returns whether the file was made
 * @throws Fault `invalid_configuration` if it is no YAML with a list of chains, or has that chain
 *   already. Fault `invalid_request` if it cannot be written
 */
export async function addChainToFile(path: string, chain: NewChain): Promise<boolean> {
  const text = await readConfigFile(path);
  await replaceFile(path, withChain(text ?? (await newFileAt(path)), chain), "kept").catch(
    (error: unknown) => {
      throw fileFault(path, "written", error);
    },
  );
  return text === null;
}

/** A file without chains. It names the schema beside it: editors then know the file's keys. */
async function newFileAt(path: string): Promise<string> {
  const schema = await readConfigFile(join(dirname(path), schemaFile)).catch(() => null);
  return `${schema !== null ? `# yaml-language-server: $schema=./${schemaFile}\n` : ""}chains: []\n`;
}

/**
 * The file's text with the chain. Reads and writes each value as a text, as `parseConfigFile` does.
 * A number of YAML would lose digits of an address or a price.
 */
function withChain(text: string, chain: NewChain): string {
  const document = parseDocument(text, { schema: "failsafe" });
  if (document.errors.length > 0) throw refused("it is not YAML: see `config check`");
  if (document.contents !== null && !isMap(document.contents))
    throw refused("it is not a map of keys");
  const chains = document.get("chains") ?? "";
  const entry = document.createNode(entryOf(chain));
  if (chains === "") document.set("chains", document.createNode([entry]));
  else if (!isSeq(chains)) throw refused("`chains` is not a list");
  else {
    for (const item of chains.items) {
      if (!isMap(item)) continue;
      if (item.get("name") === chain.name) throw refused(`it has a chain '${chain.name}' already`);
      if (Number(item.get("chain_id")) === chain.chainId)
        throw refused(`it has a chain with the id ${chain.chainId} already`);
    }
    chains.flow = false;
    chains.add(entry);
  }
  return document.toString({ lineWidth: 0 });
}

function entryOf({ name, chainId, rpc, tokens }: NewChain) {
  const assets = tokens.map(({ code, address, decimals }) => ({
    code,
    address: quoted(address),
    decimals: String(decimals),
  }));
  return { name, chain_id: String(chainId), rpc, ...(assets.length === 0 ? {} : { assets }) };
}

/** In quotation marks, because other readers of YAML take a plain address for a number. */
function quoted(text: string): Scalar<string> {
  const scalar = new Scalar(text);
  scalar.type = Scalar.QUOTE_DOUBLE;
  return scalar;
}

function refused(why: string): Fault {
  return new Fault("invalid_configuration", `The configuration file is left as it is: ${why}.`);
}
