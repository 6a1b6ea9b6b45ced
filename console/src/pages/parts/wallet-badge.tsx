import { text } from "../../text/text.ts";
import { Badge } from "../../ui/show/badge.tsx";
import type { Schema } from "../../wire/api.ts";

/** Says whether a wallet is watched, and whether its history is being filled or differs. */
export function WalletBadge({ of }: { of: Schema<"Wallet"> }) {
  if (of.history === "differs") return <Badge tone="bad">{text.history.differs}</Badge>;
  if (of.history === "filling") return <Badge tone="accent">{text.history.filling}</Badge>;
  return (
    <Badge tone={of.status === "watched" ? "good" : "warn"}>{text.walletStatus[of.status]}</Badge>
  );
}
