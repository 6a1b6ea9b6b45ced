import { text } from "../../text/text.ts";
import { Empty } from "../../ui/frame/empty.tsx";

/** Where nothing has moved yet. */
export function NoTransactions() {
  const { none, noneCommand, noneMore } = text.transactions;
  return (
    <Empty icon="transactions" title={none} command={noneCommand}>
      {noneMore}
    </Empty>
  );
}
