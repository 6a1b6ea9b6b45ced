import { groupDigits } from "../../format/amount.ts";
import { durationText } from "../../format/time.ts";
import { text } from "../../text/text.ts";
import { Card } from "../../ui/frame/card.tsx";
import { type Column, Table } from "../../ui/table/table.tsx";
import { byCost, callsOfDay, chargedText, type Endpoint } from "./endpoint-cost.ts";
import type { ChainStatus } from "./status.ts";

type OfChain = Endpoint & { chain: string };

const columns: readonly Column<OfChain>[] = [
  {
    name: "endpoint",
    head: text.chains.endpoint,
    cell: ({ name, chain }) => (
      <>
        <span class="break">{name}</span>
        <span class="second">{chain}</span>
      </>
    ),
  },
  {
    name: "cost",
    head: text.chains.cost,
    isEnd: true,
    cell: (row) => (
      <span class="nowrap">
        {chargedText(row) ?? <span class="faint">{text.chains.costUnknown}</span>}
      </span>
    ),
  },
  {
    name: "calls",
    head: text.chains.callsOfDay,
    isEnd: true,
    cell: (row) => (row.calls_hours === 0 ? "–" : groupDigits(String(callsOfDay(row)))),
  },
  {
    name: "latency",
    head: text.chains.latency,
    isEnd: true,
    from: "middle",
    cell: ({ latency_ms: latency }) => (latency === null ? "–" : durationText(latency)),
  },
  {
    name: "failures",
    head: text.chains.failedRequests,
    isEnd: true,
    from: "middle",
    cell: ({ failures }) => failures,
  },
];

/** The endpoints of all chains with their cost, the dearest first. */
export function EndpointsCard({ of }: { of: readonly ChainStatus[] }) {
  const rows = of.flatMap(({ name, endpoints }) =>
    (endpoints ?? []).map((endpoint) => ({ ...endpoint, chain: name })),
  );
  if (rows.length === 0) return null;
  return (
    <Card title={text.chains.dearest} isFull={true}>
      <Table
        caption={text.chains.dearest}
        columns={columns}
        rows={byCost(rows)}
        idOf={({ chain, name }) => `${chain} ${name}`}
      />
      <p class="pager small muted">{text.chains.costMore}</p>
    </Card>
  );
}
