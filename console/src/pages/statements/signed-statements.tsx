import { useState } from "preact/hooks";
import { timeText } from "../../format/time.ts";
import { addressOf } from "../../route/place.ts";
import { fillCount, text, wordOf } from "../../text/text.ts";
import { Button } from "../../ui/act/button.tsx";
import { Hash } from "../../ui/data/hash.tsx";
import { Pager } from "../../ui/data/pager.tsx";
import { Answered } from "../../ui/frame/answered.tsx";
import { Card } from "../../ui/frame/card.tsx";
import { Empty } from "../../ui/frame/empty.tsx";
import { Badge } from "../../ui/show/badge.tsx";
import { Foreign } from "../../ui/show/foreign.tsx";
import { When } from "../../ui/show/when.tsx";
import { type Column, Table } from "../../ui/table/table.tsx";
import { answered, api, type Schema } from "../../wire/api.ts";
import { useAnswer } from "../../wire/use-answer.ts";
import { MakeDialog } from "./make-dialog.tsx";

type Made = Schema<"Statement">;

/** The rows of a page: other things stand above and below the list. */
const limit = 20;

const formats = { jsonl: "JSON Lines", csv: "CSV", html: "HTML", parquet: "Parquet" } as const;

const columns: readonly Column<Made>[] = [
  {
    name: "period",
    head: text.period.name,
    cell: (row) => (
      <>
        <span class="nowrap">{timeText(row.from, row.time_zone)} –</span>{" "}
        <span class="nowrap">{timeText(row.to, row.time_zone)}</span>
        <span class="second">{row.time_zone}</span>
        <span class="second">
          <Covered of={row} />
        </span>
      </>
    ),
  },
  {
    name: "state",
    head: text.signed.state,
    cell: ({ final, entries, unpriced, unknown_openings: unknown }) => (
      <>
        <Badge tone={final ? "good" : "warn"}>{text.signed[final ? "final" : "open"]}</Badge>
        <span class="second">{fillCount(text.signed.entries, entries)}</span>
        {unpriced > 0 && <span class="second">{fillCount(text.signed.unpriced, unpriced)}</span>}
        {unknown > 0 && <span class="second">{fillCount(text.signed.unknown, unknown)}</span>}
      </>
    ),
  },
  {
    name: "digest",
    head: text.signed.digest,
    from: "middle",
    cell: ({ digest, signature }) => (
      <>
        <Hash value={digest} what={text.signed.digest} />
        <span class="second">
          {text.signed.signature} <Hash value={signature.value} what={text.signed.signature} />
        </span>
        <span class="second">
          {text.signed.key} <span class="mono">{signature.key_id}</span>
        </span>
      </>
    ),
  },
  {
    name: "files",
    head: text.signed.files,
    cell: ({ id }) => (
      <span class="row row-wrap">
        {Object.entries(formats).map(([format, name]) => (
          <a
            key={format}
            href={`/console/api/statements/${id}?format=${format}`}
            download={`statement-${id}.${format}`}
          >
            {name}
          </a>
        ))}
      </span>
    ),
  },
  {
    name: "made",
    head: text.signed.made,
    isEnd: true,
    from: "wide",
    cell: ({ made_at: at, made_via: via }) => (
      <span class="muted">
        <When at={at} />
        <span class="second">{wordOf(text.via, via)}</span>
      </span>
    ),
  },
];

/** The signed statements that were given out, each again in every form, and making another one. */
export function SignedStatements({ month, cursor }: { month: string; cursor?: string }) {
  const [isMaking, setMaking] = useState(false);
  const { answer, again } = useAnswer(cursor ?? "", [], (as) => {
    const query = { limit, ...(cursor === undefined ? {} : { cursor }) };
    return answered(api.GET("/statements/all", { params: { query }, ...as }));
  });
  return (
    <Card
      title={text.signed.title}
      aside={
        <Button icon="plus" onClick={() => setMaking(true)}>
          {text.signed.make}
        </Button>
      }
      isFull={true}
    >
      <Answered answer={answer} again={again} lines={3}>
        {({ data, next_cursor: next }) =>
          data.length === 0 ? (
            <Empty icon="statements" title={text.signed.none}>
              {text.signed.noneMore}
            </Empty>
          ) : (
            <>
              <Table
                caption={text.signed.title}
                columns={columns}
                rows={data}
                idOf={({ id }) => id}
              />
              <Pager next={next} count={data.length} />
            </>
          )
        }
      </Answered>
      {isMaking && <MakeDialog month={month} onMade={again} onClose={() => setMaking(false)} />}
    </Card>
  );
}

/** The wallets, assets and chains that a statement is about. */
function Covered({ of: { filter } }: { of: Made }) {
  const { blockchain, asset, label, reference_prefix: reference, wallet_id: walletId } = filter;
  const names = [asset, blockchain, label, reference === null ? null : `${reference}…`].filter(
    (name) => name !== null,
  );
  return (
    <>
      {walletId === null && names.length === 0 && text.signed.everything}
      <Foreign text={names.join(" · ")} />
      {walletId !== null && (
        <>
          {" "}
          <a href={addressOf(`/wallets/${walletId}`)}>{text.wallets.one}</a>
        </>
      )}
    </>
  );
}
