import { isZero } from "../../format/amount.ts";
import { fill, text } from "../../text/text.ts";
import { Empty } from "../../ui/frame/empty.tsx";
import { Amount } from "../../ui/show/amount.tsx";
import { When } from "../../ui/show/when.tsx";
import { type Column, Table } from "../../ui/table/table.tsx";
import type { Schema } from "../../wire/api.ts";

type Holding = Schema<"Holding">;

const columns: readonly Column<Holding>[] = [
  {
    name: "asset",
    head: text.overview.asset,
    cell: ({ asset, blockchain }) => (
      <>
        <strong>{asset}</strong>
        <span class="second">{blockchain}</span>
      </>
    ),
  },
  {
    name: "amount",
    head: text.overview.held,
    isEnd: true,
    cell: ({ amount, usd }) => (
      <>
        <Amount amount={amount} />
        <span class="second until-middle">
          <Worth usd={usd} />
          {usd !== null && ` ${text.overview.usd}`}
        </span>
      </>
    ),
  },
  {
    name: "pending",
    head: text.overview.pending,
    isEnd: true,
    from: "middle",
    cell: ({ pending }) =>
      isZero(pending) ? <span class="faint">–</span> : <Amount amount={pending} direction="in" />,
  },
  {
    name: "usd",
    head: text.overview.usd,
    isEnd: true,
    from: "middle",
    cell: ({ usd }) => <Worth usd={usd} />,
  },
];

/** One line, so that no cent stands below its dollar. */
function Worth({ usd }: { usd: string | null }) {
  if (usd === null) return <span class="faint">{text.overview.unpriced}</span>;
  return (
    <span class="nowrap">
      <Amount amount={usd} />
    </span>
  );
}

type Shown = { of: { holdings: Holding[]; prices_as_of: string | null } };

/**
 * The holdings of all wallets, asset by asset, to the last digit. Unconfirmed amounts stand apart.
 */
export function Holdings({ of: { holdings, prices_as_of: pricedAt } }: Shown) {
  if (holdings.length === 0) {
    return (
      <Empty icon="wallets" title={text.overview.nothing} command={text.wallets.noneCommand}>
        {text.overview.nothingMore}
      </Empty>
    );
  }
  return (
    <>
      <Table
        caption={text.overview.holdings}
        columns={columns}
        rows={holdings}
        idOf={({ asset, blockchain }) => `${blockchain} ${asset}`}
      />
      <p class="pager">
        {fill(text.common.rows, { count: holdings.length })}
        {pricedAt !== null && (
          <span class="push">
            {text.overview.pricesAsOf} <When at={pricedAt} />
          </span>
        )}
      </p>
    </>
  );
}
