import { durationText } from "../../format/time.ts";
import { addressOf } from "../../route/place.ts";
import { text } from "../../text/text.ts";
import { type Column, Table } from "../../ui/table/table.tsx";
import { alertText } from "../parts/alert-text.ts";
import { ChainBadge } from "./chain-badge.tsx";
import { type ChainStatus, heightText } from "./status.ts";

const columns: readonly Column<ChainStatus>[] = [
  { name: "name", head: text.chains.one, cell: ({ name }) => <strong>{name}</strong> },
  {
    name: "state",
    head: text.chains.state,
    cell: (chain) => (
      <>
        <ChainBadge of={chain} />
        {chain.alerts.slice(0, 1).map((alert) => (
          <span class="second break" key={alert.kind}>
            {alertText(alert)}
          </span>
        ))}
      </>
    ),
  },
  {
    name: "head",
    head: text.chains.head,
    isEnd: true,
    from: "wide",
    cell: ({ head }) => heightText(head),
  },
  {
    name: "position",
    head: text.chains.position,
    isEnd: true,
    from: "middle",
    cell: ({ position }) => heightText(position),
  },
  {
    name: "confirmed",
    head: text.chains.confirmed,
    isEnd: true,
    from: "wide",
    cell: ({ confirmed }) => heightText(confirmed),
  },
  {
    name: "lag",
    head: text.chains.lag,
    isEnd: true,
    cell: ({ lag_seconds: lag }) =>
      lag === null ? "–" : lag === 0 ? "0 s" : durationText(lag * 1000),
  },
  {
    name: "endpoints",
    head: text.chains.endpoints,
    isEnd: true,
    from: "middle",
    cell: ({ endpoints }) => endpoints?.length ?? "–",
  },
  {
    name: "discrepancies",
    head: text.discrepancies.title,
    isEnd: true,
    from: "wide",
    cell: ({ discrepancies }) => discrepancies,
  },
];

/** All chains with their positions. */
export function ChainsTable({
  rows,
  chosenId,
}: {
  rows: readonly ChainStatus[];
  chosenId: string | null;
}) {
  return (
    <Table
      caption={text.chains.title}
      columns={columns}
      rows={rows}
      idOf={({ name }) => name}
      hrefOf={({ name }) => addressOf("/chains", { chain: name })}
      chosenId={chosenId}
    />
  );
}
