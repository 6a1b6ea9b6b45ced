import { useState } from "preact/hooks";
import { text, wordOf } from "../../text/text.ts";
import { Button } from "../../ui/act/button.tsx";
import { Hash } from "../../ui/data/hash.tsx";
import { ListCard } from "../../ui/data/list-card.tsx";
import { Empty } from "../../ui/frame/empty.tsx";
import { When } from "../../ui/show/when.tsx";
import { type Column, Table } from "../../ui/table/table.tsx";
import { answered, api, type Schema } from "../../wire/api.ts";
import { useAnswer } from "../../wire/use-answer.ts";
import { StatementPeriod, StatementState } from "../parts/statement-cells.tsx";
import { MakeDialog } from "./make-dialog.tsx";

type Made = Schema<"Statement">;

/** The rows of a page: other things stand above and below the list. */
const limit = 20;

const formats = { jsonl: "JSON Lines", csv: "CSV", html: "HTML", parquet: "Parquet" } as const;

const columns: readonly Column<Made>[] = [
  {
    name: "period",
    head: text.period.name,
    cell: (row) => <StatementPeriod of={row} />,
  },
  {
    name: "state",
    head: text.signed.state,
    cell: (row) => <StatementState of={row} />,
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
    <>
      <ListCard
        title={text.signed.title}
        aside={
          <Button icon="plus" onClick={() => setMaking(true)}>
            {text.signed.make}
          </Button>
        }
        answer={answer}
        again={again}
        empty={
          <Empty icon="statements" title={text.signed.none}>
            {text.signed.noneMore}
          </Empty>
        }
      >
        {(rows) => (
          <Table caption={text.signed.title} columns={columns} rows={rows} idOf={({ id }) => id} />
        )}
      </ListCard>
      {isMaking && <MakeDialog month={month} onMade={again} onClose={() => setMaking(false)} />}
    </>
  );
}
