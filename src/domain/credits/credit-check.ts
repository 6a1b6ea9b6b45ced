import type { CreditFormat } from "./read-credits.ts";
import type { VerdictName } from "./verdicts.ts";

/** The credits of a business on their way in. */
export type SentCredits = {
  businessId: string;
  format: CreditFormat;
  bytes: AsyncIterable<Uint8Array>;
};

/** Credits that are all in a run, each judged by itself. Nobody sees the run yet. */
export type ReceivedCredits = { checkId: string; businessId: string; digest: string };

/** A finished run of a credit check. Times of the period are those of the blocks. */
export type CreditCheck = {
  id: string;
  createdAt: Date;
  finishedAt: Date;
  format: CreditFormat;
  /** SHA-256 of the bytes that were sent, hex. */
  digest: string;
  /** Lines with a credit, malformed ones too. */
  credits: number;
  /** Money that was received from here on (included) was to be credited. */
  periodFrom: Date;
  /** Not included. */
  periodTo: Date;
  counts: Record<VerdictName, number>;
  assets: readonly AssetSummary[];
};

/** The sums of one asset, as decimals. */
export type AssetSummary = {
  /** Null: the codes in credits that the installation does not know, together. */
  asset: string | null;
  credits: number;
  /** Null where the asset is: amounts of several assets have no sum. */
  credited: string | null;
  /** Confirmed money of the period and of the credits, each transaction once. */
  received: string | null;
  /** Credited less received. */
  difference: string | null;
};

/** The facts of a run before it is shown. */
export type SettledCredits = Pick<
  CreditCheck,
  "id" | "digest" | "credits" | "periodFrom" | "periodTo" | "counts" | "assets"
>;

/** One answered line. Of money that nobody credited there is no line in the file. */
export type CheckedLine = {
  number: number;
  verdict: VerdictName;
  /** One of the verdict's in creditVerdicts; null: it matches. */
  cause: string | null;
  reference: string | null;
  creditedAt: Date | null;
  asset: string | null;
  amount: string | null;
  transactionId: string | null;
  txHash: string | null;
  walletId: string | null;
  address: string | null;
  /** As the ledger has it; null: the ledger has nothing that fits. */
  receivedAsset: string | null;
  receivedAmount: string | null;
  /** Of a malformed line. */
  problem: string | null;
  text: string | null;
};

/** The change of a line since the run before. */
export const lineChanges = {
  new: { description: "the run before did not have it" },
  changed: { description: "the run before had another verdict or cause" },
  gone: { description: "the run before had it, and this one has not" },
} as const;

export type LineChange = keyof typeof lineChanges;

export type ChangedLine = CheckedLine & { change: LineChange };

/** A page of lines in the order of the file; transactions that nobody credited follow. */
export type LinesAsked = {
  businessId: string;
  checkId: string;
  verdict: VerdictName | null;
  /** The number of the line after which the page begins; 0: from the first. */
  after: number;
  limit: number;
};

export type LinesPage<Line> = { rows: Line[]; nextCursor: string | null };

/** The cursor of lines: the number of the last one. Opaque to the caller. */
export function encodeLineCursor(number: number): string {
  return Buffer.from(`line ${number}`, "utf8").toString("base64url");
}

/** The number in a cursor; null: the text is none. */
export function decodeLineCursor(cursor: string): number | null {
  const text = Buffer.from(cursor, "base64url").toString("utf8");
  const [, digits] = /^line (\d{1,12})$/.exec(text) ?? [];
  return digits === undefined || encodeLineCursor(Number(digits)) !== cursor
    ? null
    : Number(digits);
}

/** Runs of a business that are kept, at most, and for how long in days. */
export const keptChecks = 20;
const keptDays = 90;

/** Lines of a business that are kept, at most, beside those of its two newest runs. */
export const keptLines = 4_000_000;

/** A run whose process has said nothing for so long, in s, has ended without an answer. */
export const silentS = 60;

export type KeptCheck = { id: string; lines: number; ageDays: number };

/**
 * The runs of one business that are forgotten: the old ones, and the oldest beyond the limits. The
 * two newest stay while they are not old, so that the next run has one to be compared with.
 * @param checks the newest first
 */
export function checksToForget(checks: readonly KeptCheck[]): string[] {
  let lines = 0;
  return checks.flatMap((check, index) => {
    lines += check.lines;
    const isBeyond = index >= keptChecks || (index >= 2 && lines > keptLines);
    return isBeyond || check.ageDays > keptDays ? [check.id] : [];
  });
}
