import { keysOf } from "../keys-of.ts";

/** The probable cause of a verdict, and what the business should do. */
type CauseGuide = { cause: string; nextStep: string };

/**
 * All verdicts on a credit, and on money without a credit, with their likely causes. The types, the
 * API's description and the documents' tables are made from this table. A test compares the
 * database's CHECK with it.
 */
export const creditVerdicts = {
  matches: {
    description: "the ledger has the transaction, confirmed, and the credit is the same",
    causes: {},
  },
  not_received: {
    description: "credited, and the ledger has not received it",
    causes: {
      unknown_transaction: {
        cause: "The ledger has no transaction of yours with this id or hash.",
        nextStep:
          "Look for a typing error or another environment. If there is none, take the credit back.",
      },
      unknown_wallet: {
        cause: "The wallet is not one of yours, so nothing that it receives is in the ledger.",
        nextStep: "Add the wallet with its first block, and send the credits again.",
      },
      other_hash: {
        cause: "The transaction with this id has another hash: the line names two transactions.",
        nextStep: "See which of the two your books credited, and name that one alone.",
      },
      outgoing: {
        cause: "The transaction paid out of the wallet, and was read as a deposit.",
        nextStep: "Take the credit back. Credit deposits and payments alone.",
      },
    },
  },
  not_credited: {
    description: "received and confirmed, and no credit names it",
    causes: {
      own_transfer: {
        cause: "Another wallet of yours paid it: the money moved between your own wallets.",
        nextStep: "Credit it only if a customer of yours holds the wallet that paid.",
      },
      recent: {
        cause: "It was confirmed in the last ten minutes of the period.",
        nextStep: "Wait for the next run. Its credits may have it.",
      },
      not_notified: {
        cause: "No notification of it was written: the wallet had no webhook that asked for it.",
        nextStep: "Credit the transaction, and look at the webhook's filter.",
      },
      not_delivered: {
        cause: "Its notification has not been delivered.",
        nextStep: "See GET /notifications for the attempts, and send the notification again.",
      },
      delivered: {
        cause: "Your receiver took its notification with a 2xx answer, and did not credit it.",
        nextStep: "Look for the notification in the receiver's log, and credit the transaction.",
      },
    },
  },
  credited_twice: {
    description: "another credit has the same transaction already",
    causes: {
      same_reference: {
        cause: "The credits have one reference: the file has one credit twice.",
        nextStep: "See whether your books have it once. If they do, mend the export.",
      },
      other_reference: {
        cause: "One notification was credited at two deliveries.",
        nextStep: "Take this credit back. Remember the id of each notification before you credit.",
      },
    },
  },
  other_wallet: {
    description: "the money came to another wallet than the credit says",
    causes: {
      other_wallet: {
        cause:
          "Another wallet of yours received the money: another customer may have been credited.",
        nextStep: "Move the credit to the holder of the wallet that received the money.",
      },
    },
  },
  other_asset: {
    description: "the money is of another asset than the credit says",
    causes: {
      spelling: {
        cause: "The code differs in upper and lower case alone.",
        nextStep: "Use the codes that the ledger has, letter by letter.",
      },
      mapping: {
        cause: "Your books have another code for the asset, or took a token for another one.",
        nextStep: "Correct the credit. Tell assets apart by blockchain and code.",
      },
    },
  },
  other_amount: {
    description: "the amount is another than the credit says",
    causes: {
      decimals: {
        cause: "The amounts differ by a power of ten: one was read with other decimals.",
        nextStep: "Correct the credit. Take the decimal amount of the notification as it is.",
      },
      rounded: {
        cause: "The amounts differ by a rounding: a float or a column with few decimals had it.",
        nextStep: "Correct the credit. Keep amounts as decimals with every digit.",
      },
      less: {
        cause: "Less was credited than was received: perhaps a fee was taken off.",
        nextStep: "Credit the rest, or book the fee by itself.",
      },
      more: {
        cause: "More was credited than was received.",
        nextStep: "Take the difference back.",
      },
    },
  },
  before_confirmed: {
    description: "credited before the transaction was confirmed",
    causes: {
      pending: {
        cause: "The transaction is still pending, and may be dropped.",
        nextStep: "Hold the money back until transaction.deposit or transaction.payment comes.",
      },
      early: {
        cause: "The credit is older than the confirmation: transaction.pending was credited.",
        nextStep: "The money is there now. Credit at transaction.deposit or transaction.payment.",
      },
    },
  },
  reversed: {
    description: "credited, and the transaction has left the chain since",
    causes: {
      reversed: {
        cause: "A reorganisation reversed the transaction after it was confirmed.",
        nextStep: "Take the credit back. Handle transaction.reversed.",
      },
      dropped: {
        cause: "The transaction left the chain before it was confirmed.",
        nextStep: "Take the credit back. Handle transaction.dropped.",
      },
    },
  },
  malformed: {
    description: "the line cannot be read; its text is kept",
    causes: {
      malformed: {
        cause: "A field is missing or malformed: `problem` says which.",
        nextStep: "Mend the line, and send the credits again.",
      },
    },
  },
} as const satisfies Record<
  string,
  { description: string; causes: Readonly<Record<string, CauseGuide>> }
>;

type Table = typeof creditVerdicts;

export type VerdictName = keyof Table;

/** The causes that a verdict can have; never: it has none. */
export type CauseOf<Name extends VerdictName> = keyof Table[Name]["causes"] & string;

/** A verdict with its likely cause. Only a match has none. */
export type Verdict = {
  [Name in VerdictName]: Name extends "matches"
    ? { verdict: Name; cause: null }
    : { verdict: Name; cause: CauseOf<Name> };
}[VerdictName];

export const verdictNames: readonly VerdictName[] = keysOf(creditVerdicts);

/** The words for a cause; null: there is no cause, as for a match. */
export function guideTo(verdict: VerdictName, cause: string | null): CauseGuide | null {
  const causes: Readonly<Record<string, CauseGuide>> = creditVerdicts[verdict].causes;
  return cause === null ? null : (causes[cause] ?? null);
}
