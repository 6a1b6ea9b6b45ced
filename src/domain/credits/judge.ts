import type { Direction, TransactionStatus, TransactionType } from "../money/transaction.ts";
import type { Credit } from "./credit.ts";
import type { CauseOf, Verdict } from "./verdicts.ts";

/** The types of money that a business is to credit. */
export const creditedTypes = ["deposit", "payment"] as const satisfies readonly TransactionType[];

/** The transaction that a credit names, as the ledger has it. */
export type Received = {
  transactionId: string;
  direction: Direction;
  status: TransactionStatus;
  /** Undone by a reorg that is not settled yet: it counts as pending. */
  isOrphaned: boolean;
  walletId: string;
  address: string;
  assetCode: string;
  /** A decimal without trailing zeros. */
  amount: string;
  /** When it was first confirmed; null: never. */
  confirmedAt: Date | null;
};

/** The facts that the ledger knows for a credit. */
export type CreditFacts = {
  /** Null: no transaction of the business has this id, or this hash. */
  received: Received | null;
  /** False: the credit names a wallet that the business does not have. */
  isWalletKnown: boolean;
};

/**
 * A credit that is older than the confirmation by no more than this, in ms, is in time: clocks
 * differ, and books keep whole seconds.
 */
const clockToleranceMs = 5_000;

/**
 * The one verdict on a credit by itself: the first that holds, in the order of how much it says.
 * Nothing is asked and nothing is changed.
 */
export function judgeCredit(credit: Credit, facts: CreditFacts): Verdict {
  const { received, isWalletKnown } = facts;
  if (received === null) {
    const cause = isWalletKnown ? "unknown_transaction" : "unknown_wallet";
    return { verdict: "not_received", cause };
  }
  if (received.direction === "out") return { verdict: "not_received", cause: "outgoing" };
  const { status } = received;
  if (status === "reversed" || status === "dropped") return { verdict: "reversed", cause: status };
  return judgeContent(credit, received) ?? judgeTime(credit, received);
}

/** The verdict on a credit whose transaction an earlier one has already, whatever else it says. */
export function judgeRepeat(reference: string | null, earlier: string | null): Verdict {
  const cause = reference === earlier ? "same_reference" : "other_reference";
  return { verdict: "credited_twice", cause };
}

/** Null: wallet, asset and amount are the same. */
function judgeContent(credit: Credit, received: Received): Verdict | null {
  if (!isSameWallet(credit, received)) return { verdict: "other_wallet", cause: "other_wallet" };
  if (credit.asset !== received.assetCode) {
    const isSpelling = credit.asset.toLowerCase() === received.assetCode.toLowerCase();
    return { verdict: "other_asset", cause: isSpelling ? "spelling" : "mapping" };
  }
  if (credit.amount === received.amount) return null;
  return { verdict: "other_amount", cause: causeOfAmount(credit.amount, received.amount) };
}

/** A credit that names no wallet beside the id of the transaction is of the right one. */
function isSameWallet({ walletId, address }: Credit, received: Received): boolean {
  if (walletId !== null) return walletId === received.walletId;
  return address === null || address === received.address;
}

function judgeTime({ creditedAt }: Credit, { status, isOrphaned, confirmedAt }: Received): Verdict {
  if (status === "pending" || isOrphaned) return { verdict: "before_confirmed", cause: "pending" };
  const earlyByMs = (confirmedAt?.getTime() ?? 0) - creditedAt.getTime();
  if (earlyByMs > clockToleranceMs) return { verdict: "before_confirmed", cause: "early" };
  return { verdict: "matches", cause: null };
}

/**
 * The probable reason why two decimals differ.
 * @param credited above nothing, without needless zeros; `received` too
 */
export function causeOfAmount(credited: string, received: string): CauseOf<"other_amount"> {
  if (significant(credited) === significant(received)) return "decimals";
  const decimals = Math.max(fractionOf(credited).length, fractionOf(received).length);
  const [ours, theirs] = [scaled(credited, decimals), scaled(received, decimals)];
  const difference = ours > theirs ? ours - theirs : theirs - ours;
  const kept = fractionOf(credited).length;
  // The difference is less than one unit of the last digit that was kept.
  const isCut = kept < decimals && kept > 0 && difference < 10n ** BigInt(decimals - kept);
  // A float keeps 15 digits.
  if (isCut || difference * 10n ** 14n < theirs) return "rounded";
  return ours < theirs ? "less" : "more";
}

function fractionOf(decimal: string): string {
  return decimal.split(".")[1] ?? "";
}

function scaled(decimal: string, decimals: number): bigint {
  const [whole = ""] = decimal.split(".");
  return BigInt(`${whole}${fractionOf(decimal).padEnd(decimals, "0")}`);
}

/** The digits from the first to the last that is not 0. */
function significant(decimal: string): string {
  return decimal.replace(".", "").replace(/^0+|0+$/g, "");
}

/** The last of a period, in ms, in which money may be on its way into the books. */
const recentMs = 600_000;

/** Money that was received and that no credit names. */
export type Uncredited = {
  confirmedAt: Date;
  /** Null: no notification of it was written, or retention has removed it. */
  delivery: "delivered" | "undelivered" | null;
};

/** The verdict on money that no credit of a period names. `periodTo` ends the period. */
export function judgeUncredited({ confirmedAt, delivery }: Uncredited, periodTo: Date): Verdict {
  const cause =
    confirmedAt.getTime() > periodTo.getTime() - recentMs
      ? "recent"
      : causeOfDelivery[delivery ?? "none"];
  return { verdict: "not_credited", cause };
}

const causeOfDelivery = {
  none: "not_notified",
  undelivered: "not_delivered",
  delivered: "delivered",
} as const;
