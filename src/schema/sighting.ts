import { z } from "zod";
import { toChecksum } from "../domain/chain/checksum.ts";
import { keysOf, meaningsOf } from "../domain/keys-of.ts";
import { movementProofDescription, movementProofs } from "../domain/money/movement.ts";
import { type Sighting, type SightingFilter, sightingStatuses } from "../domain/money/sighting.ts";
import { addressText, count, hashText, idText, timeText } from "./answers.ts";
import { addressField, dateField, given, idField, namedHashField, textField } from "./fields.ts";
import { customerFields, lookalikeText } from "./transaction.ts";

// A sighting as a business and an operator see it, and the filters of both their lists.

/** The filters of a list of sightings, without the fields of the page. */
export const sightingFilterFields = {
  blockchain: textField.optional(),
  wallet_id: idField.optional(),
  contract: addressField.optional(),
  tx_hash: namedHashField.optional(),
  from: dateField.optional(),
  to: dateField.optional(),
};

type Asked = z.output<z.ZodObject<typeof sightingFilterFields>>;

export function sightingFilterOf(asked: Asked): SightingFilter {
  const { blockchain, wallet_id, contract, tx_hash, from, to } = asked;
  return given({
    contract,
    from,
    to,
    chainName: blockchain,
    walletId: wallet_id,
    txHash: tx_hash,
  });
}

/** The fields of a sighting that lists and notifications both have. */
export const sightingParts = {
  contract: addressText.meta({
    description: "The address of the token's contract, which is not configured.",
  }),
  unverifiedSymbol: z
    .string()
    .nullable()
    .meta({
      description:
        "The symbol that the contract says of itself. Anybody may deploy a token that says USDC: never take it for one. At most 32 characters, control characters escaped. Null: it says none, or was not asked yet.",
      examples: ["USDT"],
    }),
  rawAmount: z
    .string()
    .regex(/^\d+$/)
    .meta({
      description:
        "The amount as the contract counts it, an integer. Its decimals are unknown, for nobody vouches for them.",
      examples: ["12500000"],
    }),
  proof: z.enum(movementProofs).meta({
    description: `The proof that the contract logged it. ${movementProofDescription}`,
  }),
};

/** A sighting as lists show it. */
export const listedSighting = z
  .object({
    id: idText,
    status: z.enum(keysOf(sightingStatuses)).meta({ description: meaningsOf(sightingStatuses) }),
    blockchain: z.string(),
    wallet_id: idText,
    ...customerFields,
    contract: sightingParts.contract,
    unverified_symbol: sightingParts.unverifiedSymbol,
    raw_amount: sightingParts.rawAmount,
    tx_hash: hashText,
    from_address: addressText,
    to_address: addressText,
    block_number: count,
    log_index: count,
    date: timeText.meta({ description: "The time of the block that the transfer is in." }),
    proof: sightingParts.proof,
    lookalike_of: lookalikeText,
  })
  .meta({ id: "Sighting" });

export function presentSighting(sighting: Sighting): z.output<typeof listedSighting> {
  return {
    id: sighting.id,
    status: sighting.status,
    blockchain: sighting.chainName,
    wallet_id: sighting.walletId,
    reference: sighting.reference,
    label: sighting.label,
    contract: toChecksum(sighting.contract),
    unverified_symbol: sighting.symbol,
    raw_amount: sighting.amountAtomic.toString(),
    tx_hash: sighting.txHash,
    from_address: toChecksum(sighting.fromAddress),
    to_address: toChecksum(sighting.toAddress),
    block_number: Number(sighting.blockNumber),
    log_index: sighting.logIndex,
    date: sighting.blockTime.toISOString(),
    proof: sighting.proof,
    ...(sighting.lookalikeOf === null ? {} : { lookalike_of: toChecksum(sighting.lookalikeOf) }),
  };
}
