import type { AuditEntry, AuditFilter } from "../../domain/business/audit.ts";
import { requireId } from "../../domain/not-found.ts";
import type { Page, PageRequest } from "../../domain/page.ts";
import { dateField, given, idField, textField } from "../../schema/fields.ts";
import { defineList } from "../define-list.ts";
import { moment, optional, text } from "../parameter.ts";
import { presentEntry, shownEntry } from "./entry.ts";

type Ledger = {
  listAudit: (filter: AuditFilter, page: PageRequest) => Promise<Page<AuditEntry>>;
};

type Filter = {
  actor: string | undefined;
  action: string | undefined;
  subject: string | undefined;
  business: string | undefined;
  from: Date | undefined;
  to: Date | undefined;
};

/** Lists the actions in the audit trail, newest first. */
export const auditList = defineList({
  noun: "audit",
  http: {
    path: "/audit",
    mayBeStale: true,
    summary: "Who did what, and when",
    query: {
      actor: textField.optional(),
      action: textField.optional(),
      subject: textField.optional(),
      business_id: idField.optional(),
      from: dateField.optional(),
      to: dateField.optional(),
    },
    filter: ({ query: { actor, action, subject, business_id: business, from, to } }) => ({
      actor,
      action,
      subject,
      business,
      from,
      to,
    }),
  },
  cli: {
    name: "list",
    help: "List what operators did, newest first, by HTTP and on the command line.",
    examples: [
      "audit list --limit 20",
      "audit list --subject 018f… --json",
      "audit list --business 018f…",
    ],
    takes: {
      actor: optional("--actor <name>", text, "of this operator alone"),
      action: optional("--action <noun.verb>", text, "this action alone, such as business.suspend"),
      subject: optional("--subject <id>", text, "done to this alone"),
      business: optional("--business <id>", text, "about this business and all that it has"),
      from: optional("--from <time>", moment, "written at that time or later"),
      to: optional("--to <time>", moment, "written before that time"),
    },
    // The trail only grows, so the screen shows the newest unless more are asked for.
    standardLimit: 100,
  },
  // Names of actions are in lower case.
  check: ({ business, ...filter }: Filter): AuditFilter =>
    given({
      ...filter,
      action: filter.action?.toLowerCase(),
      businessId: business === undefined ? undefined : requireId(business, "business_not_found"),
    }),
  call: ({ ledger }: { ledger: Ledger }, filter, page) => ledger.listAudit(filter, page),
  row: shownEntry,
  present: presentEntry,
});
