import { cutDecimals } from "../../format/amount.ts";
import { addressOf } from "../../route/place.ts";
import { text, wordOf } from "../../text/text.ts";
import { Facts } from "../../ui/data/facts.tsx";
import { Hash } from "../../ui/data/hash.tsx";
import { Timeline } from "../../ui/data/timeline.tsx";
import { Section } from "../../ui/frame/section.tsx";
import { Amount } from "../../ui/show/amount.tsx";
import { Foreign } from "../../ui/show/foreign.tsx";
import { Icon } from "../../ui/show/icon.tsx";
import { Moment } from "../../ui/show/moment.tsx";
import type { Schema } from "../../wire/api.ts";
import { BusinessLink } from "../parts/business-names.tsx";
import { TransactionAmount } from "../parts/transaction-amount.tsx";
import { TransactionBadge } from "../parts/transaction-badge.tsx";
import { useNamedChains } from "../parts/use-chains.ts";
import { stepsOf } from "./steps.tsx";

/** `business_id`: whose it is, where an operator looks. */
type Detail = Schema<"TransactionDetail"> & { business_id?: string };

/** All facts of a transaction. */
export function TransactionDetail({ of }: { of: Detail }) {
  return (
    <div class="stack">
      <div class="stack-tight">
        <p class="headline">
          <TransactionAmount of={of} />
        </p>
        <div class="row row-wrap">
          <TransactionBadge status={of.status} />
          {of.usd_value !== null && (
            <span class="muted small" title={of.usd_value}>
              <Amount amount={cutDecimals(of.usd_value, 2)} asset="USD" />{" "}
              {text.transactions.atConfirmation}
            </span>
          )}
        </div>
      </div>
      <Section title={text.course.title}>
        <Timeline steps={stepsOf(of)} />
      </Section>
      <Section title={text.common.details}>
        <TransactionFacts of={of} />
      </Section>
    </div>
  );
}

function TransactionFacts({ of }: { of: Detail }) {
  const words = text.transactions.facts;
  return (
    <Facts
      of={[
        [words.tx_hash, <HashWithExplorer key="hash" of={of} />],
        [words.from, <Hash key="from" value={of.from_address} what={words.from} />],
        of.lookalike_of === undefined
          ? null
          : [
              words.lookalike,
              <Hash key="lookalike" value={of.lookalike_of} what={words.lookalike} />,
            ],
        [words.to, <Hash key="to" value={of.to_address} what={words.to} />],
        [
          words.wallet,
          <a key="wallet" href={ofOwner(`/wallets/${of.wallet_id}`, of)}>
            {text.transactions.toWallet}
          </a>,
        ],
        of.business_id === undefined
          ? null
          : [text.businesses.one, <BusinessLink key="business" id={of.business_id} />],
        of.reference === null ? null : [words.reference, <Foreign key="ref" text={of.reference} />],
        of.label === null
          ? null
          : [text.totals.heads.label, <Foreign key="label" text={of.label} />],
        [words.date, <Moment key="date" at={of.date} />],
        [words.blockchain, of.blockchain],
        [words.block, String(of.block_number)],
        [words.block_hash, <Hash key="block" value={of.block_hash} what={words.block_hash} />],
        [text.sightings.title, <SightingsLink key="sightings" of={of} />],
        of.log_index === null ? null : [words.log_index, String(of.log_index)],
        of.trace_path === null ? null : [words.trace_path, of.trace_path],
        of.proof === null ? null : [words.proof, wordOf(text.proof, of.proof)],
        of.fee === null
          ? null
          : [words.fee, <Amount key="fee" amount={of.fee.amount} asset={of.fee.asset} />],
        [words.id, <Hash key="id" value={of.id} what={words.id} />],
      ]}
    />
  );
}

function SightingsLink({ of }: { of: Detail }) {
  const address = ofOwner("/sightings", of, { tx_hash: of.tx_hash });
  return <a href={address}>{text.sightings.ofThis}</a>;
}

/** An address beside what the same business has, where an operator looks. */
function ofOwner(path: string, { business_id: id }: Detail, filters = {}): string {
  return addressOf(path, { business_id: id ?? null, ...filters });
}

function HashWithExplorer({ of }: { of: Detail }) {
  const explorer = useNamedChains().find(({ name }) => name === of.blockchain)?.explorer ?? null;
  return (
    <span class="row row-wrap">
      <Hash value={of.tx_hash} what={text.transactions.hash} />
      {explorer !== null && (
        <a href={`${explorer}/tx/${of.tx_hash}`} target="_blank" rel="noreferrer">
          {text.transactions.explorer} <Icon name="out" size={12} />
        </a>
      )}
    </span>
  );
}
