import { z } from "zod";
import {
  type AuditPlace,
  type AuditStretch,
  auditFaults,
  type ChainedEntry,
  faultAfter,
} from "../../domain/evidence/audit-chain.ts";
import { Fault } from "../../domain/fault.ts";

/** The result of checking the hash chain of an archive file. */
export type ArchiveVerdict =
  | (AuditStretch & {
      kind: "whole";
      /** Every thousandth entry, and the last. */
      places: AuditPlace[];
      /** The hash of the requested entry. Null: none was requested, or it is not in the file. */
      asked: string | null;
    })
  | { kind: "broken"; finding: string };

const hash = z.string().regex(/^[0-9a-f]{64}$/);
const seq = z
  .string()
  .regex(/^\d{1,18}$/)
  .transform(BigInt);

/** The first line names the entry before the first entry of the file. */
const headLine = z.strictObject({ audit_archive: z.literal(1), after_seq: seq, after_hash: hash });

const entryLine = z
  .strictObject({
    seq,
    hash,
    id: z.string(),
    at: z.iso.datetime().transform((text) => new Date(text)),

    actor: z.string(),
    via: z.string(),
    address: z.string().nullable(),

    action: z.string(),
    subject: z.string().nullable(),

    business_id: z.string().nullable(),
    details: z.unknown(),
    // Null for entries from before the installation had a key.
    mac: z.string().nullable().default(null),
  })
  .transform(({ business_id: businessId, ...entry }): ChainedEntry => ({ ...entry, businessId }));

export function textOfHead(after: AuditPlace): string {
  return JSON.stringify({
    audit_archive: 1,
    after_seq: String(after.seq),
    after_hash: after.hash,
  });
}

export function textOfEntry(entry: ChainedEntry): string {
  const { id, at, actor, via, address, action, subject, businessId, details } = entry;
  return JSON.stringify({
    seq: String(entry.seq),
    id,
    at: at.toISOString(),
    actor,
    via,
    address,
    action,
    subject,

    business_id: businessId,
    details,
    mac: entry.mac,
    hash: entry.hash,
  });
}

/**
 * Checks the hash chain of an archive file. A file that was cut off at its end is still a whole
 * chain. Only the audit trail in the database can tell.
 * @param asked the number of an entry whose hash to return
 */
export async function readArchive(
  lines: AsyncIterable<string>,
  asked: bigint | null = null,
): Promise<ArchiveVerdict> {
  let after: AuditPlace | null = null;
  let place: AuditPlace | null = null;
  let askedHash: string | null = null;
  const places: AuditPlace[] = [];
  for await (const line of lines) {
    if (after === null || place === null) {
      const head = headLine.safeParse(parsed(line)).data;
      if (head === undefined) return { kind: "broken", finding: "the file is no archive" };
      after = { seq: head.after_seq, hash: head.after_hash };
      place = after;
      continue;
    }
    const entry = entryLine.safeParse(parsed(line)).data;
    const fault = entry === undefined ? null : faultAfter(place, entry);
    if (entry === undefined || fault !== null) {
      const what = fault === null ? "cannot be read" : auditFaults[fault];
      return { kind: "broken", finding: `entry ${place.seq + 1n} of the file ${what}` };
    }
    place = { seq: entry.seq, hash: entry.hash };
    if (place.seq % 1_000n === 0n) places.push(place);
    if (place.seq === asked) askedHash = place.hash;
  }
  if (after === null || place === null || place.seq === after.seq)
    return { kind: "broken", finding: "the file holds no entry" };
  return { kind: "whole", after, through: place, places: [...places, place], asked: askedHash };
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return null;
  }
}

/** @throws Fault `invalid_request` if the hash chain of the file is broken */
export async function readWholeArchive(lines: AsyncIterable<string>) {
  const archive = await readArchive(lines);
  if (archive.kind === "whole") return archive;
  throw new Fault(
    "invalid_request",
    `This is not a whole archive, and nothing was removed for it: ${archive.finding}.`,
  );
}

/** A place as it is printed, and as it is given back to a verb. */
export const textOfPlace = ({ seq, hash }: AuditPlace): string => `${seq}:${hash}`;
