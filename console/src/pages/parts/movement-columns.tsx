import { shorten } from "../../format/short.ts";
import { text } from "../../text/text.ts";
import { Badge } from "../../ui/show/badge.tsx";
import type { Column } from "../../ui/table/table.tsx";

/** A warning, where the sender looks like an address that the wallet has paid. */
export function LookalikeBadge({ of: { lookalike_of: known } }: { of: { lookalike_of?: string } }) {
  if (known === undefined) return null;
  return (
    <span class="second" title={known}>
      <Badge tone="bad">{text.transactions.lookalike}</Badge>
    </span>
  );
}

/** The sender and the receiver of a movement. */
export const counterpartyColumn: Column<{ from_address: string; to_address: string }> = {
  name: "counterparty",
  head: text.transactions.fromTo,
  from: "wide",
  cell: ({ from_address: from, to_address: to }) => (
    <span class="mono nowrap" title={`${from} → ${to}`}>
      {shorten(from)} → {shorten(to)}
    </span>
  ),
};
