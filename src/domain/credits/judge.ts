import type { Direction, TransactionStatus, TransactionType } from "../money/transaction.ts";
import type { Credit } from "./credit.ts";
import type { CauseOf, Verdict } from "./verdicts.ts";

/** The types of money that a business should credit. */
export const creditedTypes = ["deposit", "payment"] as const satisfies readonly TransactionType[];

/** The transaction that a credit names, as the ledger has it. */
export type Received = {
  transactionId: string;
  /** In lower case. */
  txHash: string;
  direction: Direction;
  status: TransactionStatus;
  /** True if an unsettled reorg has undone it. Then it counts as pending. */
  isOrphaned: boolean;
  walletId: string;
  address: string;
  assetCode: string;
  /** A decimal without trailing zeros. */
  amount: string;
  /** When it was first confirmed; null: never. */
  confirmedAt: Date | null;
};

/** The ledger's knowledge for a credit. */
export type CreditFacts = {
  /** Null: no transaction of the business has this id or hash. */
  received: Received | null;
  /** False: the credit names a wallet that the business does not have. */
  isWalletKnown: boolean;
};

/**
 * A credit may be this much older than the confirmation, in ms. Clocks differ, and books keep whole
 * seconds.
 */
const clockToleranceMs = 5_000;

/**
 * Judges one credit by itself. Of all verdicts that hold it answers the most important one. Pure.
 */
export function judgeCredit(credit: Credit, facts: CreditFacts): Verdict {
  const { received, isWalletKnown } = facts;
  if (received === null) {
    const cause = isWalletKnown ? "unknown_transaction" : "unknown_wallet";
    return { verdict: "not_received", cause };
  }
  if (credit.txHash !== null && credit.txHash !== received.txHash)
    return { verdict: "not_received", cause: "other_hash" };
  if (received.direction === "out") return { verdict: "not_received", cause: "outgoing" };
  const { status } = received;
  if (status === "reversed" || status === "dropped") return { verdict: "reversed", cause: status };
  return judgeContent(credit, received) ?? judgeTime(credit, received);
}

/** The verdict on a credit whose transaction another credit has already, whatever else it says. */
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

/** True also for a credit that names its transaction by id, and no wallet. */
function isSameWallet({ walletId, address }: Credit, received: Received): boolean {
  const isId = walletId === null || walletId === received.walletId;
  return isId && (address === null || address === received.address);
}

function judgeTime({ creditedAt }: Credit, { status, isOrphaned, confirmedAt }: Received): Verdict {
  if (status === "pending" || isOrphaned) return { verdict: "before_confirmed", cause: "pending" };
  const earlyByMs = (confirmedAt?.getTime() ?? 0) - creditedAt.getTime();
  if (earlyByMs > clockToleranceMs) return { verdict: "before_confirmed", cause: "early" };
  return { verdict: "matches", cause: null };
}

/**
 * The probable reason why two decimals differ.
 * @param credited above zero, without needless zeros, as `received`
 */
export function causeOfAmount(credited: string, received: string): CauseOf<"other_amount"> {
  if (significant(credited) === significant(received)) return "decimals";
  const decimals = Math.max(fractionOf(credited).length, fractionOf(received).length);
  const [ours, theirs] = [scaled(credited, decimals), scaled(received, decimals)];
  const difference = ours > theirs ? ours - theirs : theirs - ours;
  const kept = fractionOf(credited).length;
  // The difference is less than one unit of the last digit that the credit has.
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

/** The digits of a decimal without leading and trailing zeros. */
function significant(decimal: string): string {
  return decimal.replace(".", "").replace(/^0+|0+$/g, "");
}

/** At the end of a period, money of this many ms may not be in the books yet. */
const recentMs = 600_000;

/** Received money that no credit names. */
export type Uncredited = {
  /** True: another wallet of the business paid it. */
  isOwnTransfer: boolean;
  confirmedAt: Date;
  /** Null: it has no notification, or retention has deleted it. */
  delivery: "delivered" | "undelivered" | null;
};

/** The verdict on money that no credit of a period names. `periodTo` is the period's end. */
export function judgeUncredited(uncredited: Uncredited, periodTo: Date): Verdict {
  const { isOwnTransfer, confirmedAt, delivery } = uncredited;
  if (isOwnTransfer) return { verdict: "not_credited", cause: "own_transfer" };
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
