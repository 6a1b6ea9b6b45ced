import { shorten } from "../../format/short.ts";
import { text } from "../../text/text.ts";
import { CopyButton } from "../../ui/act/copy-button.tsx";
import { Foreign } from "../../ui/show/foreign.tsx";
import type { Column } from "../../ui/table/table.tsx";
import { tableOf } from "../../ui/table/table-of.tsx";
import { timeColumn } from "../../ui/table/time-column.tsx";
import type { Schema } from "../../wire/api.ts";
import { WalletBadge } from "./wallet-badge.tsx";

const columns: readonly Column<Schema<"Wallet">>[] = [
  {
    name: "address",
    head: text.wallets.address,
    cell: (row) => (
      <>
        <Foreign text={row.label ?? shorten(row.address, 10, 8)} />
        {row.label !== null && (
          <span class="second mono" title={row.address}>
            {shorten(row.address, 10, 8)}
          </span>
        )}
        {/* One address may be a wallet on several chains, with the same label. */}
        <span class="second">{row.blockchain}</span>
      </>
    ),
  },
  {
    name: "copy",
    head: text.common.actions,
    isHeadHidden: true,
    from: "wide",
    cell: (row) => <CopyButton value={row.address} what={text.wallets.address} />,
  },
  { name: "status", head: text.wallets.status, cell: (row) => <WalletBadge of={row} /> },
  {
    name: "reference",
    head: text.wallets.reference,
    from: "middle",
    cell: (row) => <Foreign text={row.reference ?? "–"} />,
  },
  {
    name: "purpose",
    head: text.wallets.purpose,
    from: "wide",
    cell: (row) => text.purpose[row.purpose],
  },
  timeColumn(text.wallets.created, (row) => row.created_at, "middle"),
];

/** Wallets, the newest first. */
export const WalletsTable = tableOf({
  caption: text.wallets.title,
  columns,
  idOf: (row) => row.wallet_id,
});
