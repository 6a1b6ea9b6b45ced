import { text, wordOf } from "../../text/text.ts";
import { Hash } from "../../ui/data/hash.tsx";
import { Foreign } from "../../ui/show/foreign.tsx";
import { When } from "../../ui/show/when.tsx";
import { type Column, Table } from "../../ui/table/table.tsx";
import { timeColumn } from "../../ui/table/time-column.tsx";
import type { Schema } from "../../wire/api.ts";

type Entry = Schema<"AuditEntry">;

const columns: readonly Column<Entry>[] = [
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
    cell: ({ actor, actor_name: name, via, address, at }) => (
      <>
        <span title={actor}>
          <Foreign text={name ?? actor} />
        </span>
        <span class="second">
          {wordOf(text.via, via)}
          {address === null ? "" : ` · ${address}`}
        </span>
        <span class="second until-middle">
          <When at={at} />
        </span>
      </>
    ),
  },
  {
    name: "details",
    head: text.audit.details,
    cell: ({ details }) => <Details of={details} />,
  },
  timeColumn(text.common.time, ({ at }) => at, "middle"),
];

/** Entries of the audit trail, the newest first. */
export function AuditTable({ rows }: { rows: readonly Entry[] }) {
  return <Table caption={text.audit.title} columns={columns} rows={rows} idOf={({ id }) => id} />;
}

function Details({ of }: { of: Readonly<Record<string, unknown>> }) {
  return (
    <ul>
      {Object.entries(of).map(([name, value]) => (
        <li key={name} class="detail">
          <span class="faint">{wordOf(text.audit.fields, name)}</span>
          <Foreign text={valueText(name, value)} />
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
    ...text.audit.values,
  };
  return words[name]?.[value];
}

/** A value of a detail in words: no reader has to take JSON apart. `name`: its field. */
function valueText(name: string, value: unknown): string {
  if (value === null) return "–";
  if (typeof value === "boolean") return value ? text.common.yes : text.common.no;
  // The parts of an object have points between them.
  if (Array.isArray(value))
    return value
      .map((one) => valueText(name, one))
      .join(value.some((one) => typeof one === "object") ? "; " : ", ");
  if (typeof value !== "object") return wordFor(name, value) ?? String(value);
  return Object.entries(value)
    .filter(([, part]) => part !== null)
    .map(([part, of]) => `${wordOf(text.audit.fields, part)} ${valueText(part, of)}`)
    .join(" · ");
}
