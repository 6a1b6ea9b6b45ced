import { z } from "zod";
import type { AuditEntry } from "../../domain/business/audit.ts";
import { actorVias } from "../../domain/evidence/audit-chain.ts";
import { idText, timeText } from "../../schema/answers.ts";
import { auditedFields } from "../../schema/audit.ts";

/** An entry of the audit trail, as an operator sees it. */
export const shownEntry = z
  .object({
    id: idText,
    at: timeText,
    actor: z.string().meta({
      description:
        "The author: the name of an operator's admin token, or of the system's user. Else the id of the key or session.",
    }),
    actor_name: z
      .string()
      .nullable()
      .meta({
        description:
          "A name for `actor`. A key has its label or prefix. A session has the name of its key, or of the operator who made its link. Null: `actor` is the name already, or the key or session is gone.",
        examples: [null],
      }),
    via: z.enum(actorVias).meta({
      description:
        "`api`: a business itself, and the actor is its key. `console`: the same in the console, and the actor is its session. `sql`: Chainbell did not write this entry, and the actor is unknown.",
    }),
    address: z.string().nullable().meta({
      description:
        "The address of the client that sent the request. Null: the change was made on the command line.",
    }),
    ...auditedFields,
  })
  .meta({ id: "AuditEntry" });

export function presentEntry({
  id,
  at,
  actor,
  actorName,
  action,
  subject,
  details,
}: AuditEntry): z.output<typeof shownEntry> {
  const { name, via, address } = actor;
  return {
    id,
    at: at.toISOString(),
    actor: name,
    actor_name: actorName,
    via,
    address,
    action,
    subject,
    details,
  };
}
