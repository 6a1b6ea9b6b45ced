import { z } from "zod";
import {
  type ReconciliationEvent,
  type ReconciliationRecord,
  type RecordFilter,
  reconciliationEvents,
} from "../../domain/evidence/reconciliation-record.ts";
import { keysOf } from "../../domain/keys-of.ts";
import { requireId } from "../../domain/not-found.ts";
import type { Page, PageRequest } from "../../domain/page.ts";
import { dateField, flagField, given, idField, textField } from "../../schema/fields.ts";
import { defineList } from "../define-list.ts";
import { type BusinessReader, pageOfBusiness } from "../page-of-business.ts";
import { flag, moment, oneOf, optional, text } from "../parameter.ts";
import { presentRecord, shownRecord } from "./present-reconciliation.ts";

type Ledger = BusinessReader & {
  listReconciliations: (
    filter: RecordFilter,
    page: PageRequest,
  ) => Promise<Page<ReconciliationRecord>>;
};

const events = keysOf(reconciliationEvents);

type Filter = {
  blockchain: string | undefined;
  wallet: string | undefined;
  business: string | undefined;
  asset: string | undefined;
  event: ReconciliationEvent | undefined;
  isOpen: boolean;
  from: Date | undefined;
  to: Date | undefined;
};

/**
 * Lists every finished comparison with a chain, and every discrepancy with its resolution, newest
 * first.
 */
export const ledgerReconciliations = defineList({
  noun: "ledger",
  http: {
    path: "/ledger/reconciliations",
    mayBeStale: true,
    refuses: ["business_not_found"],
    summary: "Every comparison with a chain, and every discrepancy with its resolution",
    query: {
      blockchain: textField.optional(),
      wallet_id: idField.optional(),
      business_id: idField.optional(),
      asset: textField.optional(),
      event: z
        .enum(events, `expected one of ${events.join(", ")}`)
        .optional()
        .meta({
          description:
            "Only rows of this event. `finished`: a comparison. The others: a discrepancy that was found, that changed, or that was resolved.",
        }),
      open: flagField("True: only discrepancies that are still open, each by its newest row."),
      from: dateField.optional(),
      to: dateField.optional(),
    },
    filter: ({ query: { wallet_id: wallet, business_id: business, ...others } }) => ({
      blockchain: others.blockchain,
      wallet,
      business,
      asset: others.asset,
      event: others.event,
      isOpen: others.open,
      from: others.from,
      to: others.to,
    }),
  },
  cli: {
    name: "reconciliations",
    help: "List every finished comparison with a chain, newest first. Each discrepancy is listed from when it was found until it was resolved.",
    examples: ["ledger reconciliations --limit 20", "ledger reconciliations --wallet 018f… --json"],
    takes: {
      blockchain: optional("--blockchain <name>", text, "of this chain alone"),
      wallet: optional("--wallet <id>", text, "of this wallet's discrepancies alone"),
      business: optional("--business <id>", text, "of the wallets of this business alone"),
      asset: optional("--asset <code>", text, "of this asset alone"),
      event: optional("--event <word>", oneOf(events), `of this kind: ${events.join(", ")}`),
      isOpen: flag("--open", "only discrepancies that are still open, each by its newest row"),
      from: optional("--from <time>", moment, "recorded at that time or later"),
      to: optional("--to <time>", moment, "recorded before that time"),
    },
    standardLimit: 100,
  },
  check: ({ blockchain, wallet, business, asset, event, isOpen, from, to }: Filter) =>
    given({
      from,
      to,
      event,
      isOpen,
      assetCode: asset,
      businessId: business === undefined ? undefined : requireId(business, "business_not_found"),
      chainName: blockchain,
      walletId: wallet === undefined ? undefined : requireId(wallet, "wallet_not_found"),
    }),
  call: ({ ledger }: { ledger: Ledger }, filter, page) =>
    pageOfBusiness(ledger, filter.businessId, ledger.listReconciliations(filter, page)),
  row: shownRecord,
  present: presentRecord,
});
