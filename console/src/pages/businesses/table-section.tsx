import { Answered } from "../../ui/frame/answered.tsx";
import { Section } from "../../ui/frame/section.tsx";
import { type Column, Table } from "../../ui/table/table.tsx";
import type { Answer } from "../../wire/use-answer.ts";

type Shown<Row> = {
  title: string;
  /** The text without rows. */
  none: string;
  columns: readonly Column<Row>[];
  answer: Answer<{ data: Row[] }>;
  again: () => void;
};

/** A table of what a business has, as a part of its panel. */
export function TableSection<Row extends { id: string }>(props: Shown<Row>) {
  const { title, none, columns, answer, again } = props;
  return (
    <Section title={title}>
      <Answered answer={answer} again={again} lines={2}>
        {({ data }) =>
          data.length === 0 ? (
            <p class="muted">{none}</p>
          ) : (
            <Table caption={title} columns={columns} rows={data} idOf={({ id }) => id} />
          )
        }
      </Answered>
    </Section>
  );
}
