import type { Address } from "../../domain/chain/address.ts";
import { shownText } from "../../runtime/shown-text.ts";
import { type Endpoint, failureKindIn } from "../endpoints/endpoint.ts";
import { readData } from "../rpc/rpc-value.ts";

/** symbol(), ERC-20. */
const symbolData = "0x95d89b41";

/**
 * Gas for the call: plenty to read a text from storage. An unknown contract must not keep an
 * endpoint busy.
 */
const gas = "0x493e0";

/** A stored symbol has at most this many characters. */
const mostCharacters = 32;

const wordBytes = 32;

/**
 * Reads the symbol that a contract gives itself, as text for people. It is shortened, and
 * characters on which a terminal or a page would act are escaped. Null: the contract gives none.
 * @throws Fault `rpc_unavailable`
 */
export async function readSymbol(endpoint: Endpoint, contract: Address): Promise<string | null> {
  const what = `symbol of ${contract}`;
  const call = { to: contract, data: symbolData, gas };
  try {
    const answer = await endpoint.ask(what, { method: "eth_call", params: [call, "latest"] });
    return symbolIn(Buffer.from(readData(answer, what).slice(2), "hex"));
  } catch (error) {
    if (failureKindIn(error) === "refused") return null;
    throw error;
  }
}

/**
 * Decodes what `symbol()` returns: a string, or 32 bytes as of tokens older than ERC-20 (MKR).
 * Null: it is neither, or blank.
 */
export function symbolIn(returned: Uint8Array): string | null {
  const bytes = returned.length === wordBytes ? returned : stringIn(returned);
  if (bytes === null) return null;
  const text = new TextDecoder().decode(bytes).replace(/\0+$/, "").trim();
  if (text === "") return null;
  return shownText([...text].slice(0, mostCharacters).join(""));
}

/** Decodes an ABI-encoded string: the place of its length, then the length and the bytes. */
function stringIn(returned: Uint8Array): Uint8Array | null {
  const at = numberAt(returned, 0);
  const length = at === null ? null : numberAt(returned, at);
  if (at === null || length === null) return null;
  const begin = at + wordBytes;
  return begin + length > returned.length ? null : returned.subarray(begin, begin + length);
}

/** Reads a word as a number. Null: it is missing, or larger than any answer. */
function numberAt(returned: Uint8Array, at: number): number | null {
  const word = returned.subarray(at, at + wordBytes);
  if (word.length < wordBytes) return null;
  const value = BigInt(`0x${Buffer.from(word).toString("hex")}`);
  return value > BigInt(returned.length) ? null : Number(value);
}
