import { Card } from "../frame/card.tsx";
import { Empty } from "../frame/empty.tsx";
import { type Column, Table } from "./table.tsx";

type Shown<Row> = {
  title: string;
  /** The text without rows; left out where there always are rows. */
  none?: Parameters<typeof Empty>[0];
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  idOf: (row: Row) => string;
};

/** A table on a surface of its own. */
export function TableCard<Row>({ title, none, ...table }: Shown<Row>) {
  return (
    <Card title={title} isFull={true}>
      {none !== undefined && table.rows.length === 0 ? (
        <Empty {...none} />
      ) : (
        <Table caption={title} {...table} />
      )}
    </Card>
  );
}
