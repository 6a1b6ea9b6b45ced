import { Amount } from "../../ui/show/amount.tsx";
import type { Schema } from "../../wire/api.ts";
import { Customer } from "./customer.tsx";

type Notified = Pick<Schema<"Notification">, "payload" | "label">;

/** The money that a notification is about, and whose it is; a dash where it is about none. */
export function NotifiedMoney({ of: { payload, label = null } }: { of: Notified }) {
  const { amount, asset, reference } = fieldsOf(payload["data"]);
  if (amount === null || asset === null) return <span class="faint">–</span>;
  return (
    <>
      <Amount amount={amount} asset={asset} />
      <Customer of={{ reference, label }} />
    </>
  );
}

function fieldsOf(data: unknown): Record<"amount" | "asset" | "reference", string | null> {
  const textAt = (name: string) => {
    const value = typeof data === "object" && data !== null ? Reflect.get(data, name) : null;
    return typeof value === "string" ? value : null;
  };
  return { amount: textAt("amount"), asset: textAt("asset"), reference: textAt("reference") };
}
