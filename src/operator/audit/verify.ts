import { z } from "zod";
import type { AuditVerdict } from "../../domain/business/audit.ts";
import {
  type AuditPlace,
  type AuditStretch,
  auditFaults,
} from "../../domain/evidence/audit-chain.ts";
import { Fault } from "../../domain/fault.ts";
import { keysOf, meaningsOf } from "../../domain/keys-of.ts";
import { count, idText } from "../../schema/answers.ts";
import { defineCommand } from "../define-command.ts";
import { defineReading } from "../define-verb.ts";
import type { LineFiles } from "../line-files.ts";
import { optional, type Reader, text } from "../parameter.ts";
import { readArchive, textOfPlace } from "./archive-file.ts";

type Ports = { ledger: { verifyAudit: (head: AuditPlace | null) => Promise<AuditVerdict> } };

const verifyHere = defineReading({
  noun: "audit",
  http: {
    method: "GET",
    path: "/audit/verify",
    summary: "Check the audit trail's chain of hashes",
    description:
      "Keep `head` elsewhere. With it, `audit verify --head` on the command line shows whether entries were cut off at the end. A file of archived entries is checked there too.",
    input: () => null,
  },
  cli: null,
  check: (head: AuditPlace | null) => head,
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
    broken: z
      .object({
        entry: z.string().meta({ description: "The number of the entry.", examples: ["17"] }),
        fault: z.enum(keysOf(auditFaults)).meta({
          description: `The fault of the entry. ${meaningsOf(auditFaults)}.`,
        }),
      })
      .nullable()
      .meta({ description: "The first wrong entry of the chain. Null: the chain is whole." }),
    unchained: count.meta({
      description: "Entries that wait for their place in the chain, usually for a second.",
    }),
    inserted: z.array(idText).meta({
      description: "Entries that Chainbell did not write, at most twenty: they have no right MAC.",
    }),
  }),
  present: (verdict) => ({
    whole: verdict.kind === "whole" && verdict.inserted.length === 0,
    head: verdict.kind === "whole" ? textOfPlace(verdict.head) : null,
    finding: findingOf(verdict),
    broken: verdict.kind === "whole" ? null : { entry: String(verdict.seq), fault: verdict.fault },
    unchained: verdict.unchained,
    inserted: [...verdict.inserted],
  }),
});

function findingOf(verdict: AuditVerdict): string | null {
  if (verdict.kind === "broken") return `entry ${verdict.seq} ${auditFaults[verdict.fault]}`;
  const [first] = verdict.inserted;
  return first === undefined ? null : `entry ${first} was not written by Chainbell`;
}

type FilePorts = Ports & {
  ledger: { knowsArchive: (stretch: AuditStretch) => Promise<boolean> };
  lineFiles: Pick<LineFiles, "read">;
};

type Input = { head: AuditPlace | undefined; archive: string | undefined };

/** Reads a place of the trail, as `textOfPlace` writes it. */
const place: Reader<AuditPlace> = {
  expected: "Expected a number, a colon and 64 hexadecimal digits.",
  read: (given) => {
    const [, seq, hash] = /^(\d{1,18}):([0-9a-f]{64})$/.exec(given) ?? [];
    return seq === undefined || hash === undefined ? undefined : { seq: BigInt(seq), hash };
  },
};

const verifyWithFile = defineCommand({
  noun: "audit",
  name: "verify",
  help: "Check that no entry of the audit trail was changed or taken out. A file of archived entries is checked to be of this trail. Status 3 where something is wrong. Keep the printed head elsewhere: only with --head do entries that were cut off at the end show.",
  examples: [
    "audit verify",
    "audit verify --head 120:9f86d081…",
    "audit verify --archive /var/backups/chainbell/audit-2025.jsonl",
  ],
  takes: {
    head: optional("--head <number:hash>", place, "a head that was printed before"),
    archive: optional("--archive <file>", text, "check this file of archived entries, too"),
  },
  async run(ports: FilePorts, given: Input) {
    const head = given.head ?? null;
    if (given.archive === undefined) return verifyHere.perform(ports, head);
    const lines = await ports.lineFiles.read(given.archive);
    if (lines === null) throw new Fault("invalid_request", `There is no file ${given.archive}.`);
    const file = await readArchive(lines, head?.seq ?? null);
    const finding = file.kind === "broken" ? file.finding : await compare(ports, file, head);
    const isHeadThere = file.kind === "whole" && file.asked !== null;
    const here = await verifyHere.perform(ports, isHeadThere || finding !== null ? null : head);
    return finding === null ? here : { ...here, whole: false, finding };
  },
  hasFindings: ({ whole }) => !whole,
});

/**
 * Checks the hash chain of the audit trail: the hash of each entry covers the one before it. Reads
 * the whole trail. Safe to repeat.
 * @throws Fault `invalid_request`
 */
export const auditVerify = { ...verifyHere, cli: verifyWithFile.cli };

/** Compares a file whose own chain is whole with the trail. Returns what is wrong, or null. */
async function compare(
  { ledger }: FilePorts,
  file: AuditStretch & { asked: string | null },
  head: AuditPlace | null,
): Promise<string | null> {
  if (file.asked !== null && file.asked !== head?.hash)
    return `entry ${head?.seq} of the file is not the one that was written down`;
  if (await ledger.knowsArchive(file)) return null;
  return `the file is not a part of this trail that is known to be archived: it ends with ${textOfPlace(file.through)}`;
}
