import { subtractAmounts } from "../../format/amount.ts";
import { addressOf } from "../../route/place.ts";
import { fill, fillCount, text } from "../../text/text.ts";
import { Hash } from "../../ui/data/hash.tsx";
import { Amount } from "../../ui/show/amount.tsx";
import { Badge, type Tone } from "../../ui/show/badge.tsx";
import { type Column, Table } from "../../ui/table/table.tsx";
import { timeColumn } from "../../ui/table/time-column.tsx";
import type { Schema } from "../../wire/api.ts";
import { BusinessLink } from "../parts/business-names.tsx";
import { Customer } from "../parts/customer.tsx";

type Recorded = Schema<"ReconciliationRecord">;

/** The tones of what is over. */
const tones: Readonly<Record<Recorded["event"], Tone>> = {
  finished: "plain",
  found: "plain",
  changed: "plain",
  resolved: "good",
};

const columns: readonly Column<Recorded>[] = [
  {
    name: "event",
    head: text.discrepancies.event,
    cell: (row) => (
      <>
        <Badge tone={row.open ? "bad" : tones[row.event]}>{text.reconciliation[row.event]}</Badge>
        {row.open && <span class="second">{text.discrepancies.open}</span>}
      </>
    ),
  },
  {
    name: "chain",
    head: text.chains.one,
    cell: (row) => (
      <>
        {row.blockchain}
        {row.block_number !== null && (
          <span class="second nowrap">
            {fill(text.discrepancies.atBlock, { number: row.block_number })}
          </span>
        )}
      </>
    ),
  },
  {
    name: "what",
    head: text.discrepancies.what,
    cell: (row) =>
      row.event === "finished" ? (
        fillCount(text.discrepancies.compared, row.compared ?? 0, {
          found: row.discrepancies ?? 0,
        })
      ) : (
        <Difference of={row} />
      ),
  },
  timeColumn(text.common.time, (row) => row.at),
];

/** Every comparison, and every discrepancy with its outcome. */
export function RecordsTable({ rows }: { rows: readonly Recorded[] }) {
  return (
    <Table caption={text.discrepancies.title} columns={columns} rows={rows} idOf={({ id }) => id} />
  );
}

function Difference({ of }: { of: Recorded }) {
  const asset = of.asset ?? "";
  const [ledger, chain] = [of.ledger ?? "0", of.chain ?? "0"];
  return (
    <span class="stack-tight">
      {of.business_id !== null && <BusinessLink id={of.business_id} />}
      {of.address !== null && (
        <span>
          <Hash value={of.address} what={text.wallets.address} />
          <Customer of={of} />
        </span>
      )}
      <strong>
        {text.discrepancies.difference}{" "}
        <Amount amount={subtractAmounts(chain, ledger)} asset={asset} />
      </strong>
      <span>
        {text.discrepancies.ledger} <Amount amount={ledger} asset={asset} />
        {" · "}
        {text.discrepancies.chain} <Amount amount={chain} asset={asset} />
        {of.resolution !== null && ` · ${text.resolution[of.resolution]}`}
      </span>
      {of.wallet_id !== null && (
        <a href={addressOf(`/wallets/${of.wallet_id}`, { business_id: of.business_id })}>
          {text.discrepancies.toWallet}
        </a>
      )}
      {(of.event === "found" || of.event === "changed") && (
        <span class="small muted">
          {text.discrepancies.cause[of.event]} {text.discrepancies.remedy}
        </span>
      )}
      {of.open && of.wallet_id !== null && (
        <a href={addressOf("/discrepancies", { wallet_id: of.wallet_id })}>
          {text.discrepancies.ofWallet}
        </a>
      )}
    </span>
  );
}
