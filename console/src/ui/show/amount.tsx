import { partsOfAmount } from "../../format/amount.ts";

type Shown = {
  amount: string;
  asset?: string;
  /** Money in, money out, or neither. */
  direction?: "in" | "out";
  isUndone?: boolean;
};

/** An exact amount, every digit of it. */
export function Amount({ amount, asset, direction, isUndone = false }: Shown) {
  const { sign, whole, fraction } = partsOfAmount(amount);
  const mark = direction === undefined ? sign : direction === "in" ? "+" : "−";
  const look = `amount ${direction === "in" ? "amount-in" : ""} ${isUndone ? "amount-undone" : ""}`;
  return (
    <span class={look}>
      {mark}
      {whole}
      <span class="amount-fraction">{fraction}</span>
      {asset !== undefined && <span class="amount-asset"> {asset}</span>}
    </span>
  );
}
