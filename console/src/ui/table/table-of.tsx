import { type Column, Table } from "./table.tsx";
import type { Selection } from "./use-selection.ts";

type Shown<Row> = {
  rows: readonly Row[];
  hrefOf: (row: Row) => string;
  chosenId?: string | null;
  selection?: Selection<Row>;
};

/** Makes a component that shows rows of one kind, each of which is a link. */
export function tableOf<Row>(of: {
  caption: string;
  columns: readonly Column<Row>[];
  idOf: (row: Row) => string;
}) {
  return ({ chosenId = null, ...shown }: Shown<Row>) => (
    <Table {...of} {...shown} chosenId={chosenId} />
  );
}
