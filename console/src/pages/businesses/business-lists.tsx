import { addressOf } from "../../route/place.ts";
import { text } from "../../text/text.ts";
import { answered, api } from "../../wire/api.ts";
import { useAnswer } from "../../wire/use-answer.ts";
import { AuditTable } from "../parts/audit-table.tsx";
import { DeliveriesTable } from "../parts/deliveries-table.tsx";
import { TransactionsTable } from "../parts/transactions-table.tsx";
import { WalletsTable } from "../parts/wallets-table.tsx";
import { mostRows, NewestRows } from "./newest-rows.tsx";

type Shown = { id: string };

const query = { limit: mostRows };

/** The newest wallets of a business. */
export function BusinessWallets({ id }: Shown) {
  const asked = useAnswer(id, ["wallets"], (as) =>
    answered(api.GET("/admin/businesses/{id}/wallets", { params: { path: { id }, query }, ...as })),
  );
  return (
    <NewestRows {...asked} none={text.wallets.none} all={allOf("/wallets", id)}>
      {(rows) => (
        <WalletsTable rows={rows} hrefOf={(row) => allOf(`/wallets/${row.wallet_id}`, id)} />
      )}
    </NewestRows>
  );
}

/** The newest transactions of a business. */
export function BusinessTransactions({ id }: Shown) {
  const asked = useAnswer(id, ["transactions"], (as) => {
    const params = { path: { id }, query };
    return answered(api.GET("/admin/businesses/{id}/transactions", { params, ...as }));
  });
  return (
    <NewestRows {...asked} none={text.transactions.none} all={allOf("/transactions", id)}>
      {(rows) => (
        <TransactionsTable rows={rows} hrefOf={(row) => allOf(`/transactions/${row.id}`, id)} />
      )}
    </NewestRows>
  );
}

/** The newest notifications of a business. */
export function BusinessDeliveries({ id }: Shown) {
  const asked = useAnswer(id, ["deliveries"], (as) => {
    const params = { query: { ...query, business_id: id } };
    return answered(api.GET("/admin/notifications", { params, ...as }));
  });
  return (
    <NewestRows {...asked} none={text.deliveries.none} all={allOf("/deliveries", id)}>
      {(rows) => (
        <DeliveriesTable rows={rows} hrefOf={(row) => allOf(`/deliveries/${row.id}`, id)} />
      )}
    </NewestRows>
  );
}

/** The newest entries of the audit trail about a business. */
export function BusinessAudit({ id }: Shown) {
  const asked = useAnswer(id, ["audit"], (as) => {
    const params = { query: { ...query, business_id: id } };
    return answered(api.GET("/admin/audit", { params, ...as }));
  });
  return (
    <NewestRows {...asked} none={text.audit.none} all={allOf("/audit", id)}>
      {(rows) => <AuditTable rows={rows} />}
    </NewestRows>
  );
}

/** The address of a page that shows this business alone. */
function allOf(path: string, id: string): string {
  return addressOf(path, { business_id: id });
}
