import { shorten } from "../../format/short.ts";
import { addressOf } from "../../route/place.ts";
import { fill, text } from "../../text/text.ts";
import { Hash } from "../../ui/data/hash.tsx";
import { Amount } from "../../ui/show/amount.tsx";
import { Badge, type Tone } from "../../ui/show/badge.tsx";
import { Foreign } from "../../ui/show/foreign.tsx";
import { When } from "../../ui/show/when.tsx";
import { type Column, Table } from "../../ui/table/table.tsx";
import { timeColumn } from "../../ui/table/time-column.tsx";
import type { Schema } from "../../wire/api.ts";

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
    cell: ({ raw_amount: amount, unverified_symbol: symbol, blockchain }) => (
      <>
        <Amount amount={amount} />
        <span class="second">
          <Foreign
            text={
              symbol === null ? text.sightings.noSymbol : fill(text.sightings.symbol, { symbol })
            }
          />
        </span>
        <span class="second">{blockchain}</span>
      </>
    ),
  },
  {
    name: "status",
    head: text.transactions.status,
    cell: (row) => (
      <>
        <Badge tone={tones[row.status]}>{text.sightings.states[row.status]}</Badge>
        {row.lookalike_of !== undefined && (
          <span class="second" title={row.lookalike_of}>
            <Badge tone="bad">{text.transactions.lookalike}</Badge>
          </span>
        )}
        <span class="second until-middle">
          <When at={row.date} />
        </span>
      </>
    ),
  },
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
  {
    name: "counterparty",
    head: text.transactions.fromTo,
    from: "wide",
    cell: ({ from_address: from, to_address: to }) => (
      <span class="mono nowrap" title={`${from} → ${to}`}>
        {shorten(from)} → {shorten(to)}
      </span>
    ),
  },
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
