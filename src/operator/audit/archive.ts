import type { Audited } from "../../domain/business/audit.ts";
import type { AuditPlace, AuditStretch, ChainedEntry } from "../../domain/evidence/audit-chain.ts";
import { Fault } from "../../domain/fault.ts";
import { invalidField } from "../../domain/text.ts";
import { defineCommand } from "../define-command.ts";
import type { LineFiles } from "../line-files.ts";
import { moment, required, text } from "../parameter.ts";
import type { ShowProgress } from "../verb-bindings.ts";
import { readWholeArchive, textOfEntry, textOfHead, textOfPlace } from "./archive-file.ts";

type Ledger = {
  planArchive: (before: Date) => Promise<{ after: AuditPlace; through: bigint }>;
  readChained: (asked: {
    after: bigint;
    through: bigint | null;
    limit: number;
  }) => Promise<ChainedEntry[]>;
  isArchived: (stretch: AuditStretch) => Promise<boolean>;
  removeArchived: (asked: { through: bigint; upTo: AuditPlace }) => Promise<number>;
};

type Ports = {
  ledger: Ledger;
  audited: Audited<{ beginArchive: (stretch: AuditStretch) => Promise<void> }>;
  lineFiles: Pick<LineFiles, "read" | "write">;
  clock: { now: () => number };
  showProgress: ShowProgress;
};

type Input = { before: Date; to: string };

type Archive = Awaited<ReturnType<typeof readWholeArchive>>;

/** The number of entries that are read at once for a file. */
const batch = 1_000;

/**
 * Moves the oldest entries of the audit trail into a file. Writes the file, flushes it to the disk
 * and reads it back before it removes any entry. The rest of the trail is still a chain, which
 * begins after the last entry of the file. The audit trail itself records the archive. Safe to
 * interrupt, and to repeat with the same file: it then continues.
 * @throws Fault `invalid_request`; `invariant_broken` if the trail was changed
 */
export const auditArchive = defineCommand({
  noun: "audit",
  name: "archive",
  help: "Move entries of the audit trail that are older than a time into a new file of JSON lines. The file is checked before anything is removed. Keep it where backups are: audit verify --archive checks it. If it was interrupted, run it again with the same file.",
  examples: ["audit archive --before 2026-01-01 --to /var/backups/chainbell/audit-2025.jsonl"],
  takes: {
    before: required("--before <time>", moment, "older entries are moved"),
    to: required("--to <file>", text, "a new file, or the file of a run that was interrupted"),
  },
  async run(ports: Ports, { before, to }: Input) {
    if (before.getTime() > ports.clock.now())
      throw invalidField("before", "expected a time that is over");
    const lines = await ports.lineFiles.read(to);
    const archive =
      lines === null ? await write(ports, { before, to }) : await readWholeArchive(lines);
    if (archive === null) return { file: null, entries: 0, removed: 0, after: null, through: null };
    const removed = await remove(ports, archive, to);
    if (lines !== null && removed === 0) await refuseMore(ports, archive, before);
    return {
      file: to,
      entries: Number(archive.through.seq - archive.after.seq),
      removed,
      after: textOfPlace(archive.after),
      through: textOfPlace(archive.through),
    };
  },
});

/** Null: there is nothing to move. */
async function write(
  { ledger, lineFiles, showProgress }: Ports,
  { before, to }: Input,
): Promise<Archive | null> {
  const { after, through } = await ledger.planArchive(before);
  if (through <= after.seq) return null;
  const progress = showProgress("entries", Number(through - after.seq));
  async function* lines() {
    yield textOfHead(after);
    for (let last = after.seq; last < through; ) {
      const entries = await ledger.readChained({ after: last, through, limit: batch });
      // The last entry is missing. The check of the file reports it.
      if (entries.length === 0) return;
      for (const entry of entries) {
        yield textOfEntry(entry);
        last = entry.seq;
      }
      progress.update(Number(last - after.seq));
    }
  }
  try {
    const read: Archive[] = [];
    await lineFiles.write(to, lines(), async (written) => {
      const archive = await readWholeArchive(written);
      if (archive.through.seq !== through)
        throw new Fault("invariant_broken", `Entry ${through} was not written. See audit verify.`);
      read.push(archive);
    });
    return read[0] ?? null;
  } finally {
    progress.end();
  }
}

async function remove(ports: Ports, archive: Archive, file: string): Promise<number> {
  const { ledger, audited } = ports;
  const { after, through, places } = archive;
  const stretch = { after, through };
  if (!(await ledger.isArchived(stretch)))
    await audited("audit.archive", async (tx) => {
      await tx.beginArchive(stretch);
      const [first, last] = [String(after.seq + 1n), String(through.seq)];
      return {
        output: null,
        entry: { subject: null, details: { file, first, last, hash: through.hash } },
      };
    });
  let removed = 0;
  for (const upTo of places) removed += await ledger.removeArchived({ through: through.seq, upTo });
  return removed;
}

/** Refuses a file that is done while more entries are due, so that nobody overlooks them. */
async function refuseMore({ ledger }: Ports, { through }: Archive, before: Date): Promise<void> {
  const plan = await ledger.planArchive(before);
  if (plan.through <= plan.after.seq) return;
  throw new Fault(
    "invalid_request",
    `The file ends with entry ${through.seq}, and is done with. Name another one for the entries after ${plan.after.seq}.`,
  );
}
