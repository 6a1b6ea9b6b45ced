import { z } from "zod";
import { parseAddress } from "../../domain/chain/address.ts";
import { toChecksum } from "../../domain/chain/checksum.ts";
import {
  discrepancyResolutions,
  type ReconciliationRecord,
  type RecordFilter,
  reconciliationEvents,
} from "../../domain/evidence/reconciliation-record.ts";
import { keysOf, meaningsIn } from "../../domain/keys-of.ts";
import { toDecimal } from "../../domain/money/amount.ts";
import { requireId } from "../../domain/not-found.ts";
import type { Page, PageRequest } from "../../domain/page.ts";
import {
  addressText,
  count,
  decimalText,
  height,
  heightOf,
  idText,
  timeText,
} from "../../schema/answers.ts";
import { given, idField, textField } from "../../schema/fields.ts";
import { defineList } from "../define-list.ts";
import { optional, text } from "../take.ts";

type Ledger = {
  listReconciliations: (
    filter: RecordFilter,
    page: PageRequest,
  ) => Promise<Page<ReconciliationRecord>>;
};

type Filter = { blockchain: string | undefined; wallet: string | undefined };

const shownRecord = z
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
    asset: z.string().nullable(),
    ledger: decimalText.nullable(),
    chain: decimalText.nullable(),
    resolution: z
      .enum(keysOf(discrepancyResolutions))
      .nullable()
      .meta({ description: meaningsIn(discrepancyResolutions) }),
    hash: z.string(),
  })
  .meta({ id: "ReconciliationRecord" });

/** Every comparison with a chain that was finished, and every discrepancy with its resolution, newest first. */
export const ledgerReconciliations = defineList({
  noun: "ledger",
  http: {
    path: "/ledger/reconciliations",
    summary: "Every comparison with a chain, and every discrepancy with its resolution",
    query: { blockchain: textField.optional(), wallet_id: idField.optional() },
    filter: ({ query }) => ({ blockchain: query.blockchain, wallet: query.wallet_id }),
  },
  cli: {
    name: "reconciliations",
    help: "List every comparison with a chain that was finished, and every discrepancy from when it was found until it was resolved, newest first.",
    examples: ["ledger reconciliations --limit 20", "ledger reconciliations --wallet 018f… --json"],
    takes: {
      blockchain: optional("--blockchain <name>", text, "of this chain alone"),
      wallet: optional("--wallet <id>", text, "of this wallet's discrepancies alone"),
    },
    standardLimit: 100,
  },
  check: ({ blockchain, wallet }: Filter) =>
    given({
      chainName: blockchain,
      walletId: wallet === undefined ? undefined : requireId(wallet, "wallet_not_found"),
    }),
  call: ({ ledger }: { ledger: Ledger }, filter, page) => ledger.listReconciliations(filter, page),
  row: shownRecord,
  present: ({ comparison, discrepancy, ...record }) => ({
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
    hash: record.hash,
  }),
});

function presentDiscrepancy(found: ReconciliationRecord["discrepancy"]) {
  if (found === null) {
    const none = { wallet_id: null, address: null, asset: null, ledger: null, chain: null };
    return { ...none, resolution: null };
  }
  return {
    wallet_id: found.walletId,
    address: toChecksum(parseAddress(found.walletAddress)),
    asset: found.assetCode,
    ledger: toDecimal(found.ledgerAtomic, found.assetDecimals),
    chain: toDecimal(found.chainAtomic, found.assetDecimals),
    resolution: found.resolution,
  };
}
