import type { ComponentChildren } from "preact";
import { addressOf } from "../../route/place.ts";
import { text } from "../../text/text.ts";
import { Facts } from "../../ui/data/facts.tsx";
import { Hash } from "../../ui/data/hash.tsx";
import { Section } from "../../ui/frame/section.tsx";
import { Foreign } from "../../ui/show/foreign.tsx";
import { Moment } from "../../ui/show/moment.tsx";
import type { Schema } from "../../wire/api.ts";
import { WalletBadge } from "../parts/wallet-badge.tsx";
import { OwnedThresholds, Thresholds } from "./thresholds.tsx";
import { BalancesTable, WalletBalances } from "./wallet-balances.tsx";

/** A wallet, its balances, and the ways to its transactions. */
export function WalletDetail({ of }: { of: Schema<"WalletDetail"> }) {
  const { wallet_id } = of;
  return (
    <WalletView
      of={of}
      ways={[
        [text.transactions.title, addressOf("/transactions", { wallet_id })],
        [text.statements.one, addressOf("/statements", { wallet_id })],
        [text.sightings.title, addressOf("/sightings", { wallet_id })],
      ]}
      thresholds={<Thresholds of={of.thresholds} />}
    >
      <WalletBalances id={wallet_id} status={of.status} />
    </WalletView>
  );
}

type Owned = { of: Schema<"AdminWalletDetail">; again: () => void };

/** The same for an operator, with the way to the business. */
export function OwnedWalletDetail({ of, again }: Owned) {
  const { wallet_id, business_id } = of;
  return (
    <WalletView
      of={of}
      ways={[
        [text.transactions.title, addressOf("/transactions", { business_id, wallet_id })],
        [text.sightings.title, addressOf("/sightings", { business_id, wallet_id })],
        [text.businesses.one, addressOf(`/businesses/${business_id}`)],
      ]}
      thresholds={<OwnedThresholds of={of.thresholds} walletId={wallet_id} again={again} />}
    >
      {of.balances === null || of.status === "syncing" ? (
        <p class="muted">{text.wallets.syncingMore}</p>
      ) : (
        <BalancesTable of={of.balances} />
      )}
    </WalletView>
  );
}

type View = {
  of: Schema<"Wallet">;
  /** The name and the address of each page that the wallet leads to. */
  ways: readonly (readonly [name: string, address: string])[];
  thresholds: ComponentChildren;
  /** The balances. */
  children: ComponentChildren;
};

function WalletView({ of, ways, thresholds, children }: View) {
  return (
    <div class="stack">
      <div class="row row-wrap">
        <WalletBadge of={of} />
        <span class="push row row-wrap">
          {ways.map(([name, address]) => (
            <a key={name} class="button" href={address}>
              {name}
            </a>
          ))}
        </span>
      </div>
      {of.history !== null && <p class="muted">{text.historyMore[of.history]}</p>}
      <Section title={text.wallets.holds}>{children}</Section>
      <Section title={text.thresholds.title}>{thresholds}</Section>
      <Section title={text.common.details}>
        <WalletFacts of={of} />
      </Section>
    </div>
  );
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
