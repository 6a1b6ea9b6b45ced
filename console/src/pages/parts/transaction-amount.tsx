import { Amount } from "../../ui/show/amount.tsx";
import type { Schema } from "../../wire/api.ts";

type Shown = Pick<Schema<"Transaction">, "amount" | "asset" | "type" | "status">;

/** What moved, in or out, and crossed out where it did not stay. */
export function TransactionAmount({ of }: { of: Shown }) {
  const isOut = of.type === "withdrawal" || of.type === "fee";
  const isNeither = of.type === "adjustment" || of.type === "unattributed";
  return (
    <Amount
      amount={of.amount}
      asset={of.asset}
      {...(isNeither ? {} : { direction: isOut ? "out" : "in" })}
      isUndone={of.status === "reversed" || of.status === "dropped"}
    />
  );
}
