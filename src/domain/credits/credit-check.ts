import type { CreditProblem } from "./credit-problem.ts";
import type { CreditFormat } from "./read-credits.ts";
import type { VerdictName } from "./verdicts.ts";

/** The credits of a business as they arrive. */
export type SentCredits = {
  businessId: string;
  format: CreditFormat;
  bytes: AsyncIterable<Uint8Array>;
};

/** A run with all its credits, each judged by itself. The run is not visible yet. */
export type ReceivedCredits = { checkId: string; businessId: string; digest: string };

/** A finished run of a credit check. The times of its period are times of blocks. */
export type CreditCheck = {
  id: string;
  createdAt: Date;
  finishedAt: Date;
  format: CreditFormat;
  /** The SHA-256 of the received bytes, hex. */
  digest: string;
  /** The lines with a credit, malformed ones included. */
  credits: number;
  /** Money received from this time on, inclusive, should be credited. */
  periodFrom: Date;
  /** The end of the period, exclusive. */
  periodTo: Date;
  counts: Record<VerdictName, number>;
  assets: readonly AssetSummary[];
};

/** The sums of one asset, as decimals. */
export type AssetSummary = {
  /** Null: all codes in credits that the installation does not know, together. */
  asset: string | null;
  credits: number;
  /** Null if `asset` is: amounts of several assets cannot be added. */
  credited: string | null;
  /** The confirmed money of the period and of the credits. Each transaction counts once. */
  received: string | null;
  /** `credited` less `received`. */
  difference: string | null;
};

/** The facts of a run before it is visible. */
export type SettledCredits = Pick<
  CreditCheck,
  "id" | "digest" | "credits" | "periodFrom" | "periodTo" | "counts" | "assets"
>;

/** One answered line. Money without a credit has a line here, but none in the file. */
export type CheckedLine = {
  number: number;
  verdict: VerdictName;
  /** One of the verdict's causes in creditVerdicts; null: the line matches. */
  cause: string | null;
  reference: string | null;
  creditedAt: Date | null;
  asset: string | null;
  amount: string | null;
  transactionId: string | null;
  txHash: string | null;
  walletId: string | null;
  address: string | null;
  /** As the ledger has it; null: the ledger has no matching transaction. */
  receivedAsset: string | null;
  receivedAmount: string | null;
  /** The fault of a malformed line, in words. */
  problem: string | null;
  /** Its word and values. Null: no fault, or one that an earlier release stored. */
  problemCode: string | null;
  problemValues: CreditProblem["values"] | null;
  text: string | null;
};

/** The change of a line since the run before. */
export const lineChanges = {
  new: { description: "the run before did not have it" },
  changed: {
    description:
      "the run before had another verdict or cause, or the credit says something else now",
  },
  gone: { description: "the run before had it, and this one has not" },
} as const;

export type LineChange = keyof typeof lineChanges;

export type ChangedLine = CheckedLine & { change: LineChange };

/** A page of lines in the order of the file. Money without a credit follows. */
export type LinesAsked = {
  businessId: string;
  checkId: string;
  verdict: VerdictName | null;
  /** The page begins after the line with this number; 0: at the first line. */
  after: number;
  limit: number;
};

export type LinesPage<Line> = { rows: Line[]; nextCursor: string | null };

/** Makes the cursor of lines from the number of the last one. It is opaque to the caller. */
export function encodeLineCursor(number: number): string {
  return Buffer.from(`line ${number}`, "utf8").toString("base64url");
}

/** The largest number that a line can have in the database. */
const mostNumber = 2_147_483_647;

/** The number in a cursor; null: the text is no cursor. */
export function decodeLineCursor(cursor: string): number | null {
  const text = Buffer.from(cursor, "base64url").toString("utf8");
  const number = Number(/^line (\d{1,10})$/.exec(text)?.[1] ?? Number.NaN);
  return number <= mostNumber && encodeLineCursor(number) === cursor ? number : null;
}

/** A business keeps at most this many runs, and for this many days. */
export const keptChecks = 20;
const keptDays = 90;

/** A business keeps at most this many lines, besides those of its two newest runs. */
export const keptLines = 4_000_000;

/**
 * After this many seconds without a sign of its process, a run is taken to have ended without an
 * answer.
 */
export const silentS = 60;

export type KeptCheck = { id: string; lines: number; ageDays: number };

/**
 * The runs of one business that must be deleted: old ones, and the oldest beyond the limits. The
 * two newest stay until they are old, so that the next run can be compared with one.
 * @param checks newest first
 */
export function checksToForget(checks: readonly KeptCheck[]): string[] {
  let lines = 0;
  return checks.flatMap((check, index) => {
    lines += check.lines;
    const isBeyond = index >= keptChecks || (index >= 2 && lines > keptLines);
    return isBeyond || check.ageDays > keptDays ? [check.id] : [];
  });
}
