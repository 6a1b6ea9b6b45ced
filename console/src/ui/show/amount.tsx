import { Fragment } from "preact";
import { partsOfAmount } from "../../format/amount.ts";
import { useBreaks } from "./use-breaks.ts";

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
  const isBroken = useBreaks();
  const groupsOf = isBroken ? inGroups : (digits: string) => digits;
  const look = `amount ${isBroken ? "" : "amount-whole"} ${direction === "in" ? "amount-in" : ""} ${isUndone ? "amount-undone" : ""}`;
  return (
    <span class={look}>
      {mark}
      {groupsOf(whole, /(?<=\D)/)}
      <span class="amount-fraction">{groupsOf(fraction, /(?<=^\D(?:\d{3})+)(?=\d)/)}</span>
      {asset !== undefined && <span class="amount-asset"> {asset}</span>}
    </span>
  );
}

/** The groups of a number's digits: a line may end between two of them and nowhere else. */
function inGroups(digits: string, ends: RegExp) {
  return digits.split(ends).map((group, place) => (
    <Fragment key={place}>
      {place > 0 && <wbr />}
      {group}
    </Fragment>
  ));
}
