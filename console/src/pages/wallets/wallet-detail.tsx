import { addressOf } from "../../route/place.ts";
import { text } from "../../text/text.ts";
import { Facts } from "../../ui/data/facts.tsx";
import { Hash } from "../../ui/data/hash.tsx";
import { Section } from "../../ui/frame/section.tsx";
import { Foreign } from "../../ui/show/foreign.tsx";
import { Moment } from "../../ui/show/moment.tsx";
import type { Schema } from "../../wire/api.ts";
import { WalletBadge } from "./wallet-badge.tsx";
import { BalancesTable, WalletBalances } from "./wallet-balances.tsx";

/** A wallet, its balances, and the ways to its transactions. */
export function WalletDetail({ of }: { of: Schema<"Wallet"> }) {
  return (
    <div class="stack">
      <div class="row row-wrap">
        <WalletBadge of={of} />
        <span class="push row">
          <a class="button" href={addressOf("/transactions", { wallet_id: of.wallet_id })}>
            {text.transactions.title}
          </a>
          <a class="button" href={addressOf("/statements", { wallet_id: of.wallet_id })}>
            {text.statements.one}
          </a>
        </span>
      </div>
      <HistoryNote of={of} />
      <Section title={text.wallets.holds}>
        <WalletBalances id={of.wallet_id} status={of.status} />
      </Section>
      <Section title={text.common.details}>
        <WalletFacts of={of} />
      </Section>
    </div>
  );
}

/** The same for an operator, with the way to the business. */
export function OwnedWalletDetail({ of }: { of: Schema<"AdminWalletDetail"> }) {
  const ofWallet = { business_id: of.business_id, wallet_id: of.wallet_id };
  return (
    <div class="stack">
      <div class="row row-wrap">
        <WalletBadge of={of} />
        <span class="push row">
          <a class="button" href={addressOf("/transactions", ofWallet)}>
            {text.transactions.title}
          </a>
          <a class="button" href={addressOf(`/businesses/${of.business_id}`)}>
            {text.businesses.one}
          </a>
        </span>
      </div>
      <HistoryNote of={of} />
      <Section title={text.wallets.holds}>
        {of.balances === null || of.status === "syncing" ? (
          <p class="muted">{text.wallets.syncingMore}</p>
        ) : (
          <BalancesTable of={of.balances} />
        )}
      </Section>
      <Section title={text.common.details}>
        <WalletFacts of={of} />
      </Section>
    </div>
  );
}

function HistoryNote({ of }: { of: Schema<"Wallet"> }) {
  return of.history === null ? null : <p class="muted">{text.historyMore[of.history]}</p>;
}

function WalletFacts({ of }: { of: Schema<"Wallet"> }) {
  const words = text.wallets;
  return (
    <Facts
      of={[
        [
          words.address,
          <Hash key="address" value={of.address} what={words.address} head={10} tail={8} />,
        ],
        [words.blockchain, of.blockchain],
        [words.purpose, text.purpose[of.purpose]],
        of.reference === null ? null : [words.reference, <Foreign key="ref" text={of.reference} />],
        [words.currencies, of.currencies.join(", ")],
        of.from_block === null ? null : [words.fromBlock, String(of.from_block)],
        [words.created, <Moment key="created" at={of.created_at} />],
        [words.id, <Hash key="id" value={of.wallet_id} what={words.id} />],
      ]}
    />
  );
}
