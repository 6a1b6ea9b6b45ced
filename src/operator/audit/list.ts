import type { AuditEntry, AuditFilter } from "../../domain/business/audit.ts";
import type { Page, PageRequest } from "../../domain/page.ts";
import { given, textField } from "../../schema/fields.ts";
import { defineList } from "../define-list.ts";
import { optional, text } from "../parameter.ts";
import { presentEntry, shownEntry } from "./entry.ts";

type Ledger = {
  listAudit: (filter: AuditFilter, page: PageRequest) => Promise<Page<AuditEntry>>;
};

type Filter = {
  actor: string | undefined;
  action: string | undefined;
  subject: string | undefined;
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
    },
    filter: ({ query: { actor, action, subject } }) => ({ actor, action, subject }),
  },
  cli: {
    name: "list",
    help: "List what operators did, newest first, by HTTP and on the command line.",
    examples: ["audit list --limit 20", "audit list --subject 018f… --json"],
    takes: {
      actor: optional("--actor <name>", text, "of this operator alone"),
      action: optional("--action <noun.verb>", text, "this action alone, such as business.suspend"),
      subject: optional("--subject <id>", text, "done to this alone"),
    },
    // The trail only grows, so the screen shows the newest unless more are asked for.
    standardLimit: 100,
  },
  // Names of actions are in lower case.
  check: (filter: Filter) => given({ ...filter, action: filter.action?.toLowerCase() }),
  call: ({ ledger }: { ledger: Ledger }, filter, page) => ledger.listAudit(filter, page),
  row: shownEntry,
  present: presentEntry,
});
