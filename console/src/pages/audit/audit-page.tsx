import { useFilters } from "../../route/filters.ts";
import { text, wordOf } from "../../text/text.ts";
import { Hash } from "../../ui/data/hash.tsx";
import { ListCard } from "../../ui/data/list-card.tsx";
import { Empty } from "../../ui/frame/empty.tsx";
import { NoMatch } from "../../ui/frame/no-match.tsx";
import { Page } from "../../ui/frame/page.tsx";
import { Foreign } from "../../ui/show/foreign.tsx";
import { type Column, Table } from "../../ui/table/table.tsx";
import { timeColumn } from "../../ui/table/time-column.tsx";
import { answered, api, type Schema } from "../../wire/api.ts";
import { useAnswer } from "../../wire/use-answer.ts";
import { ChosenFilter, WrittenFilter } from "../parts/filters/filter-bar.tsx";
import { AuditCheck } from "./audit-check.tsx";

const names = ["actor", "action", "subject", "cursor"] as const;

const columns: readonly Column<Schema<"AuditEntry">>[] = [
  {
    name: "action",
    head: text.audit.action,
    cell: ({ action, subject }) => (
      <>
        <strong>{wordOf(text.audit.actions, action)}</strong>
        <span class="second mono">{action}</span>
        {subject !== null && (
          <span class="second">
            <Hash value={subject} what={text.audit.subject} />
          </span>
        )}
      </>
    ),
  },
  {
    name: "actor",
    head: text.audit.actor,
    cell: ({ actor, actor_name: name, via, address }) => (
      <>
        <span title={actor}>
          <Foreign text={name ?? actor} />
        </span>
        <span class="second">
          {wordOf(text.via, via)}
          {address === null ? "" : ` · ${address}`}
        </span>
      </>
    ),
  },
  {
    name: "details",
    head: text.audit.details,
    cell: ({ details }) => <Details of={details} />,
  },
  timeColumn(text.common.time, ({ at }) => at),
];

/** The audit trail: who changed what, and when. */
export function AuditPage() {
  const { filters, change, isFiltered } = useFilters(names);
  const of = { filters, change };
  const { answer, again } = useAnswer(JSON.stringify(filters), ["audit"], (as) =>
    answered(api.GET("/admin/audit", { params: { query: filters }, ...as })),
  );
  return (
    <Page title={text.audit.title} lead={text.audit.lead} actions={<AuditCheck />}>
      <div class="filters">
        <WrittenFilter of={of} name="actor" label={text.audit.actor} />
        <ChosenFilter
          {...{ of, name: "action", label: text.audit.action, options: text.audit.actions }}
        />
        <WrittenFilter of={of} name="subject" label={text.audit.subject} isWide={true} />
      </div>
      <ListCard
        answer={answer}
        again={again}
        empty={
          isFiltered ? <NoMatch path="/audit" /> : <Empty icon="audit" title={text.audit.none} />
        }
      >
        {(rows) => (
          <Table caption={text.audit.title} columns={columns} rows={rows} idOf={({ id }) => id} />
        )}
      </ListCard>
    </Page>
  );
}

function Details({ of }: { of: Readonly<Record<string, unknown>> }) {
  return (
    <ul>
      {Object.entries(of).map(([name, value]) => (
        <li key={name} class="detail">
          <span class="faint">{wordOf(text.audit.fields, name)}</span>
          <Foreign text={wordFor(name, value) ?? valueText(value)} />
        </li>
      ))}
    </ul>
  );
}

/** The word of a value that is a code; undefined: it is none, or has no word. */
function wordFor(name: string, value: unknown): string | undefined {
  if (typeof value !== "string") return undefined;
  const words: Readonly<Record<string, Readonly<Record<string, string>>>> = {
    role: text.role,
    way: text.sessions.ways,
  };
  return words[name]?.[value];
}

/** A value of a detail in words: no reader has to take JSON apart. */
function valueText(value: unknown): string {
  if (value === null) return "–";
  if (typeof value === "boolean") return value ? text.common.yes : text.common.no;
  // The parts of an object have points between them.
  if (Array.isArray(value))
    return value.map(valueText).join(value.some((one) => typeof one === "object") ? "; " : ", ");
  if (typeof value !== "object") return String(value);
  return Object.entries(value)
    .filter(([, part]) => part !== null)
    .map(([name, part]) => `${wordOf(text.audit.fields, name)} ${valueText(part)}`)
    .join(" · ");
}
