import { addressOf } from "../../route/place.ts";
import { fill, text } from "../../text/text.ts";
import { Hash } from "../../ui/data/hash.tsx";
import { Amount } from "../../ui/show/amount.tsx";
import { Badge, type Tone } from "../../ui/show/badge.tsx";
import { Foreign } from "../../ui/show/foreign.tsx";
import { RoomContext } from "../../ui/show/use-breaks.ts";
import { type Column, Table } from "../../ui/table/table.tsx";
import { statusColumn, timeColumn } from "../../ui/table/time-column.tsx";
import type { Schema } from "../../wire/api.ts";
import { Customer } from "../parts/customer.tsx";
import { counterpartyColumn, LookalikeBadge } from "../parts/movement-columns.tsx";

type Sighting = Schema<"Sighting">;

const tones: Readonly<Record<Sighting["status"], Tone>> = {
  pending: "warn",
  confirmed: "plain",
  dropped: "bad",
};

const columns: readonly Column<Sighting>[] = [
  {
    name: "amount",
    head: text.sightings.rawAmount,
    cell: ({ raw_amount: amount, unverified_symbol: symbol, blockchain, ...row }) => (
      <>
        {/* Anybody makes a token of so many digits that no other column would be seen. */}
        <RoomContext.Provider value={false}>
          <Amount amount={amount} />
        </RoomContext.Provider>
        <span class="second">
          <Foreign
            text={
              symbol === null ? text.sightings.noSymbol : fill(text.sightings.symbol, { symbol })
            }
          />
        </span>
        <span class="second">{blockchain}</span>
        <Customer of={row} />
      </>
    ),
  },
  statusColumn({
    head: text.transactions.status,
    status: (row) => (
      <>
        <Badge tone={tones[row.status]}>{text.sightings.states[row.status]}</Badge>
        <LookalikeBadge of={row} />
      </>
    ),
    at: (row) => row.date,
  }),
  {
    name: "contract",
    head: text.sightings.contract,
    cell: ({ contract, wallet_id: id, to_address: to }) => (
      <>
        <Hash value={contract} what={text.sightings.contract} />
        <a class="second" href={addressOf(`/wallets/${id}`)} title={to}>
          {text.transactions.toWallet}
        </a>
      </>
    ),
  },
  counterpartyColumn,
  {
    name: "hash",
    head: text.transactions.hash,
    from: "wide",
    cell: ({ tx_hash: hash }) => <Hash value={hash} what={text.transactions.hash} />,
  },
  timeColumn(text.transactions.date, ({ date }) => date, "middle"),
];

/** Transfers of tokens that are not configured, the newest first. */
export function SightingsTable({ rows }: { rows: readonly Sighting[] }) {
  return (
    <Table caption={text.sightings.title} columns={columns} rows={rows} idOf={({ id }) => id} />
  );
}
