import type { Position } from "../../domain/chain/block.ts";
import type { Endpoint } from "../endpoints/endpoint.ts";
import type { Cryptography } from "../proof/hashing/cryptography.ts";
import { headerHashes } from "../proof/hashing/header-hash.ts";
import type { ProofRules } from "../proof/prove-block.ts";
import { refusedBlock } from "../proof/refuse-block.ts";
import { parseHeader } from "../rpc/rpc-block.ts";
import { readObject, toQuantity } from "../rpc/rpc-value.ts";
import { askBlock } from "./asking/load-block.ts";

/**
 * Reads the blocks below one whose hash is known, newest first. Each header must have the hash that
 * the block above it names. Null: the chain's headers cannot be hashed, so an endpoint could name
 * any parent.
 * @throws Fault `rpc_inconsistent` if a header is missing or does not hold; `rpc_unavailable`
 */
export async function readAncestors(
  endpoint: Endpoint,
  request: { of: Position; count: number },
  tools: { cryptography: Cryptography; rules: ProofRules },
): Promise<Position[] | null> {
  const { of, count } = request;
  const { proof, profile } = tools.rules;
  if (!proof.header) return null;
  const numbers = Array.from({ length: count }, (_, below) => of.number - BigInt(below));
  const answers = await Promise.all(
    numbers.map((number) => askBlock(endpoint, toQuantity(number), false, "batched")),
  );
  let expected = of;
  return answers.map((answer) => {
    const raw = readObject(answer, "block");
    const { number, hash, parentHash } = parseHeader(raw);
    const isIt = number === expected.number && hash === expected.hash;
    if (!isIt || !headerHashes(tools.cryptography.keccak, profile.header, { raw, hash }))
      throw refusedBlock(expected, `its child names it, and the header answered has ${hash}`);
    expected = { number: number - 1n, hash: parentHash };
    return expected;
  });
}
