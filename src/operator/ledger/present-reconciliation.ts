import { z } from "zod";
import { parseAddress } from "../../domain/chain/address.ts";
import { toChecksum } from "../../domain/chain/checksum.ts";
import {
  discrepancyResolutions,
  type ReconciliationRecord,
  reconciliationEvents,
} from "../../domain/evidence/reconciliation-record.ts";
import { keysOf, meaningsIn } from "../../domain/keys-of.ts";
import { toDecimal } from "../../domain/money/amount.ts";
import {
  addressText,
  count,
  decimalText,
  height,
  heightOf,
  idText,
  timeText,
} from "../../schema/answers.ts";
import { customerFields } from "../../schema/transaction.ts";

/** A row of the record of reconciliations, as an operator sees it. */
export const shownRecord = z
  .object({
    id: idText,
    number: count,
    at: timeText,
    blockchain: z.string(),
    event: z
      .enum(keysOf(reconciliationEvents))
      .meta({ description: meaningsIn(reconciliationEvents) }),
    block_number: height,
    compared: count.nullable(),
    agreed: height,
    discrepancies: count.nullable(),
    wallet_id: idText.nullable(),
    address: addressText.nullable(),
    business_id: idText.nullable(),
    ...customerFields,
    asset: z.string().nullable(),
    ledger: decimalText.nullable(),
    chain: decimalText.nullable(),
    resolution: z
      .enum(keysOf(discrepancyResolutions))
      .nullable()
      .meta({ description: meaningsIn(discrepancyResolutions) }),
    open: z.boolean().meta({
      description: "True of the newest row of a discrepancy that is still open.",
      examples: [true],
    }),
    hash: z.string(),
  })
  .meta({ id: "ReconciliationRecord" });

export function presentRecord({
  comparison,
  discrepancy,
  ...record
}: ReconciliationRecord): z.output<typeof shownRecord> {
  return {
    id: record.id,
    number: Number(record.number),
    at: record.recordedAt.toISOString(),
    blockchain: record.chainName,
    event: record.event,
    block_number: heightOf(record.atNumber),
    compared: comparison?.compared ?? null,
    agreed: heightOf(comparison?.agreedNumber ?? null),
    discrepancies: comparison?.discrepancies ?? null,
    ...presentDiscrepancy(discrepancy),
    open: record.isOpen,
    hash: record.hash,
  };
}

function presentDiscrepancy(found: ReconciliationRecord["discrepancy"]) {
  if (found === null) {
    const nobody = { wallet_id: null, address: null, business_id: null };
    const none = { reference: null, label: null, asset: null, ledger: null, chain: null };
    return { ...nobody, ...none, resolution: null };
  }
  return {
    wallet_id: found.walletId,
    address: toChecksum(parseAddress(found.walletAddress)),
    business_id: found.businessId,
    reference: found.reference,
    label: found.label,
    asset: found.assetCode,
    ledger: toDecimal(found.ledgerAtomic, found.assetDecimals),
    chain: toDecimal(found.chainAtomic, found.assetDecimals),
    resolution: found.resolution,
  };
}
