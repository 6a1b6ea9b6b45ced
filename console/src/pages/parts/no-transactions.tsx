import { addressOf } from "../../route/place.ts";
import { text } from "../../text/text.ts";
import { Empty } from "../../ui/frame/empty.tsx";

/** The text of a list without transactions. */
export function NoTransactions() {
  const { none, noneCommand, noneMore } = text.transactions;
  return (
    <Empty icon="transactions" title={none} command={noneCommand}>
      {noneMore} <a href={addressOf("/wallets")}>{text.wallets.title}</a>
    </Empty>
  );
}
