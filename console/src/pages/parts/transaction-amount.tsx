import { Amount } from "../../ui/show/amount.tsx";
import type { Schema } from "../../wire/api.ts";

type Shown = Pick<Schema<"Transaction">, "amount" | "asset" | "type" | "status">;

/** The amount of a transaction, in or out. It is crossed out where the transaction was undone. */
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
