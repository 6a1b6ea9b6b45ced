import { z } from "zod";
import type { AuditEntry, AuditFilter } from "../../domain/business/audit.ts";
import type { Page, PageRequest } from "../../domain/page.ts";
import { idText, timeText } from "../../schema/answers.ts";
import { given, textField } from "../../schema/fields.ts";
import { defineList } from "../define-list.ts";
import { optional, text } from "../take.ts";

type Ledger = {
  listAudit: (filter: AuditFilter, page: PageRequest) => Promise<Page<AuditEntry>>;
};

type Filter = {
  actor: string | undefined;
  action: string | undefined;
  subject: string | undefined;
};

const shownEntry = z
  .object({
    id: idText,
    at: timeText,
    actor: z.string().meta({ description: "The admin token's name, or the system's user." }),
    via: z
      .enum(["http", "cli", "system", "api"])
      .meta({ description: "`api`: a business itself, and the actor is its key." }),
    address: z
      .string()
      .nullable()
      .meta({ description: "From where the request came; null on the command line." }),
    action: z.string().meta({ examples: ["business.suspend"] }),
    subject: z.string().nullable().meta({ description: "What was acted on." }),
    details: z.record(z.string(), z.unknown()),
  })
  .meta({ id: "AuditEntry" });

/** What operators did, newest first. */
export const auditList = defineList({
  noun: "audit",
  http: {
    path: "/audit",
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
    // A trail only grows: nobody wants all of it on the screen.
    standardLimit: 100,
  },
  check: (filter: Filter) => given(filter),
  call: ({ ledger }: { ledger: Ledger }, filter, page) => ledger.listAudit(filter, page),
  row: shownEntry,
  present: ({ id, at, actor, action, subject, details }) => ({
    id,
    at: at.toISOString(),
    actor: actor.name,
    via: actor.via,
    address: actor.address,
    action,
    subject,
    details,
  }),
});
