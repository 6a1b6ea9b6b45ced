import { timeText } from "../../format/time.ts";
import { addressOf } from "../../route/place.ts";
import { fillCount, text } from "../../text/text.ts";
import { Badge } from "../../ui/show/badge.tsx";
import { Foreign } from "../../ui/show/foreign.tsx";
import type { Schema } from "../../wire/api.ts";

type Made = Schema<"Statement">;

/** The period of a signed statement by its own clock, and what it is about. */
export function StatementPeriod({ of }: { of: Made }) {
  return (
    <>
      <span class="nowrap">{timeText(of.from, of.time_zone)} –</span>{" "}
      <span class="nowrap">{timeText(of.to, of.time_zone)}</span>
      <span class="second">{of.time_zone}</span>
      <span class="second">
        <Covered of={of} />
      </span>
    </>
  );
}

/** The state of a signed statement, final or still open, and the number of its entries. */
export function StatementState({ of }: { of: Made }) {
  const { final, entries, unpriced, unconfirmed, unknown_openings: unknown } = of;
  return (
    <>
      <Badge tone={final ? "good" : "warn"}>{text.signed[final ? "final" : "open"]}</Badge>
      <span class="second">{fillCount(text.signed.entries, entries)}</span>
      {unpriced > 0 && <span class="second">{fillCount(text.signed.unpriced, unpriced)}</span>}
      {unconfirmed > 0 && (
        <span class="second">{fillCount(text.signed.unconfirmed, unconfirmed)}</span>
      )}
      {unknown > 0 && <span class="second">{fillCount(text.signed.unknown, unknown)}</span>}
    </>
  );
}

/** The wallets, assets and chains that a statement is about. */
function Covered({ of: { filter } }: { of: Made }) {
  const { blockchain, asset, label, reference_prefix: reference, wallet_id: walletId } = filter;
  const names = [asset, blockchain, label, reference === null ? null : `${reference}…`].filter(
    (name) => name !== null,
  );
  return (
    <>
      {walletId === null && names.length === 0 && text.signed.everything}
      <Foreign text={names.join(" · ")} />
      {walletId !== null && (
        <>
          {" "}
          <a href={addressOf(`/wallets/${walletId}`)}>{text.wallets.one}</a>
        </>
      )}
    </>
  );
}
