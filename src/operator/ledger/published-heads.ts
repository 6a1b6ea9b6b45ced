import { z } from "zod";
import type { SealHead } from "../../domain/evidence/ledger-check.ts";
import type { Sign } from "../../domain/evidence/signing-key.ts";
import { invalidField } from "../../domain/text.ts";
import { count } from "../../schema/answers.ts";
import { signDocument } from "../signed-document.ts";
import type { shownAttestation } from "./sign-attestation.ts";

const head = z.object({ blockchain: z.string(), number: count, hash: z.string() });

const published = z.object({ heads: z.literal(1), chains: z.array(head) });

/**
 * The heads of an attestation as one line of JSON, signed by the installation. A person who stores
 * the line elsewhere can find out later whether an entry up to there was rewritten.
 */
export async function headsLine(
  sign: Sign,
  { made_at, chains, digest: attested }: z.output<typeof shownAttestation>,
): Promise<string> {
  const heads = chains.flatMap(({ blockchain, chain_id, seal }) =>
    seal === null ? [] : [{ blockchain, chain_id, ...seal }],
  );
  const covered = { heads: 1, made_at, attestation: attested, chains: heads };
  return JSON.stringify(await signDocument(sign, "heads", covered));
}

/**
 * Reads the heads in published lines, oldest first.
 * @throws Fault `invalid_request` if a line has no heads, or there is no line
 */
export async function readHeads(lines: AsyncIterable<string>): Promise<SealHead[]> {
  const found: SealHead[] = [];
  let number = 0;
  for await (const line of lines) {
    number += 1;
    if (line.trim() === "") continue;
    for (const { blockchain, ...rest } of headsIn(line, number))
      found.push({ chainName: blockchain, number: BigInt(rest.number), hash: rest.hash });
  }
  if (found.length > 0) return found;
  throw invalidField("against", "must be a file of heads: it has none");
}

function headsIn(line: string, number: number): z.output<typeof published>["chains"] {
  try {
    return published.parse(JSON.parse(line)).chains;
  } catch {
    throw invalidField("against", `must have heads on each line: line ${number} has none`);
  }
}
