import type {
  ReconciliationRecord,
  RecordFilter,
} from "../../domain/evidence/reconciliation-record.ts";
import { requireId } from "../../domain/not-found.ts";
import type { Page, PageRequest } from "../../domain/page.ts";
import { dateField, given, idField, textField } from "../../schema/fields.ts";
import { defineList } from "../define-list.ts";
import { moment, optional, text } from "../parameter.ts";
import { presentRecord, shownRecord } from "./present-reconciliation.ts";

type Ledger = {
  listReconciliations: (
    filter: RecordFilter,
    page: PageRequest,
  ) => Promise<Page<ReconciliationRecord>>;
};

type Filter = {
  blockchain: string | undefined;
  wallet: string | undefined;
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
    summary: "Every comparison with a chain, and every discrepancy with its resolution",
    query: {
      blockchain: textField.optional(),
      wallet_id: idField.optional(),
      from: dateField.optional(),
      to: dateField.optional(),
    },
    filter: ({ query: { blockchain, wallet_id: wallet, from, to } }) => ({
      blockchain,
      wallet,
      from,
      to,
    }),
  },
  cli: {
    name: "reconciliations",
    help: "List every finished comparison with a chain, newest first. Each discrepancy is listed from when it was found until it was resolved.",
    examples: ["ledger reconciliations --limit 20", "ledger reconciliations --wallet 018f… --json"],
    takes: {
      blockchain: optional("--blockchain <name>", text, "of this chain alone"),
      wallet: optional("--wallet <id>", text, "of this wallet's discrepancies alone"),
      from: optional("--from <time>", moment, "recorded at that time or later"),
      to: optional("--to <time>", moment, "recorded before that time"),
    },
    standardLimit: 100,
  },
  check: ({ blockchain, wallet, from, to }: Filter) =>
    given({
      from,
      to,
      chainName: blockchain,
      walletId: wallet === undefined ? undefined : requireId(wallet, "wallet_not_found"),
    }),
  call: ({ ledger }: { ledger: Ledger }, filter, page) => ledger.listReconciliations(filter, page),
  row: shownRecord,
  present: presentRecord,
});
