import { z } from "zod";
import type { AuditVerdict } from "../../domain/business/audit.ts";
import { Fault } from "../../domain/fault.ts";
import { count } from "../../schema/answers.ts";
import { defineReading } from "../define-verb.ts";
import { optional, text } from "../take.ts";

type Head = { seq: bigint; hash: string };

type Ports = { ledger: { verifyAudit: (head: Head | null) => Promise<AuditVerdict> } };

/**
 * Whether the audit trail is whole: each entry is covered by the hash of the next. Reads everything; safe to repeat.
 * @throws Fault `invalid_request`
 */
export const auditVerify = defineReading({
  noun: "audit",
  http: {
    method: "GET",
    path: "/audit/verify",
    summary: "Check the audit trail's chain of hashes",
    description:
      "`head` is worth keeping elsewhere: `audit verify --head` on the command line shows against it whether entries were cut off at the end.",
    input: () => ({ head: undefined }),
  },
  cli: {
    name: "verify",
    help: "Check that no entry of the audit trail was changed or taken out. Status 3 where one was. Keep the head that is printed elsewhere: only against it entries that were cut off at the end show.",
    examples: ["audit verify", "audit verify --head 120:9f86d081…"],
    takes: { head: optional("--head <number:hash>", text, "a head that was printed before") },
    hasFindings: ({ whole }) => !whole,
  },
  check: ({ head }: { head: string | undefined }) => (head === undefined ? null : toHead(head)),
  call: ({ ledger }: Ports, head) => ledger.verifyAudit(head),
  answer: z.object({
    whole: z.boolean(),
    head: z
      .string()
      .nullable()
      .meta({
        description: "The last entry's number and hash.",
        examples: [`120:${"9f86d081884c7d65".repeat(4)}`],
      }),
    finding: z.string().nullable(),
    unchained: count.meta({ description: "Entries without a place in the chain." }),
  }),
  present: (verdict) => ({
    whole: verdict.kind === "whole",
    head: verdict.kind === "whole" ? `${verdict.head.seq}:${verdict.head.hash}` : null,
    finding: verdict.kind === "whole" ? null : `entry ${verdict.seq} ${verdict.what}`,
    unchained: verdict.unchained,
  }),
});

function toHead(given: string): Head {
  const [, seq, hash] = /^(\d{1,18}):([0-9a-f]{64})$/.exec(given) ?? [];
  if (seq !== undefined && hash !== undefined) return { seq: BigInt(seq), hash };
  throw new Fault("invalid_request", "A head is a number, a colon and 64 hexadecimal digits.");
}
