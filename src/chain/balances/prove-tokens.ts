import type { Address } from "../../domain/chain/address.ts";
import type { BalanceProof } from "../../domain/chain/block-proof.ts";
import type { TokenLayout } from "../../domain/evidence/attestation.ts";
import type { BalanceQuestion } from "../../domain/money/balance.ts";
import { type Answers, judge } from "../../domain/watch/agreement.ts";
import type { Endpoint } from "../endpoints/endpoint.ts";
import type { Keccak } from "../proof/hashing/keccak.ts";
import { type ProvenState, proveAccount } from "./prove-account.ts";
import { isEqual, readBalances } from "./read-balances.ts";
import { knownLayouts, slotOf } from "./token-layouts.ts";

/** After so many reads a token whose layout was not found is looked at again. */
const readsUntilNextSearch = 100;

type Search = { layout: TokenLayout | null; readsLeft: number };

/** A question to an endpoint about one token at one state. */
type TokenRead = ProvenState & { token: Address; owners: readonly Address[] };

/**
 * Asks every configured endpoint of another host than the one that proves; null: one that does not
 * answer.
 */
export type AskOtherHosts = <T>(
  work: (endpoint: Endpoint) => Promise<T>,
) => Promise<readonly { host: string; answer: T | null }[]>;

/** A balance, with what shows it. */
export type ProvedBalance = { amountAtomic: bigint; proof: BalanceProof };

/**
 * Reads balances of tokens from the slots in which they are kept. Questions find out where a token
 * keeps them. A layout counts once a slot of it, proved, has what balanceOf answers for its owner.
 * A token can be upgraded, and leave its old slots behind. So each balance is held every time
 * against the balanceOf of every host that answers. The first host that says something else ends
 * the layout.
 *
 * The state root proves what a slot has, but only hosts say that the token still counts by it. So
 * such a balance is `agreed` where `needed` hosts, or all that are configured, say so. Where too
 * few answer, nothing is proved. Where one host is configured, its word is all there is.
 */
export function createTokenProver(keccak: Keccak, needed: number) {
  const searches = new Map<Address, Search>();

  /**
   * Balances in the order of the owners; null where they cannot be proved, too few hosts answer, or
   * a host's balanceOf says something else.
   */
  return async function proveTokens(
    endpoint: Endpoint,
    asked: TokenRead,
    askOtherHosts: AskOtherHosts,
  ): Promise<(ProvedBalance | null)[]> {
    const { token, owners } = asked;
    const nothing = owners.map(() => null);
    const said = await askToken(endpoint, asked);
    const layout = await layoutOf(endpoint, asked, said);
    if (layout === null) return nothing;
    const slots = owners.map((owner) => slotOf(keccak, layout, owner));
    const { slots: held } = await proveAccount(endpoint, keccak, {
      ...asked,
      account: token,
      slots,
    });
    const others = await askOtherHosts((other) => askToken(other, asked));
    const isContradicted = [said, ...others.map(({ answer }) => answer)].some(
      (one) => one !== null && !isEqual(one, held),
    );
    if (isContradicted) searches.set(token, { layout: null, readsLeft: readsUntilNextSearch });
    const { kind } = judge(answersOf(said, others), { needed, isSame: isEqual });
    const proof = kind === "agreed" ? "agreed" : kind === "alone" ? "answered" : null;
    if (isContradicted || proof === null) return nothing;
    searches.set(token, { layout, readsLeft: 0 });
    return held.map((amountAtomic) => ({ amountAtomic, proof }));
  };

  /**
   * The layout that is known, or that fits what the endpoint says; null: none, or it is not
   * searched for now.
   */
  async function layoutOf(
    endpoint: Endpoint,
    asked: TokenRead,
    said: readonly (bigint | null)[],
  ): Promise<TokenLayout | null> {
    const known = searches.get(asked.token);
    if (known?.layout) return known.layout;
    if (known !== undefined && known.readsLeft > 0) {
      known.readsLeft -= 1;
      return null;
    }
    // Where every balance is zero, no slot differs from another.
    const at = said.findIndex((amount) => (amount ?? 0n) > 0n);
    const [owner, amount] = [asked.owners[at], said[at]];
    if (owner === undefined || amount === undefined || amount === null) return null;
    const layout = await findLayout(endpoint, asked, { owner, amount });
    if (layout === null)
      searches.set(asked.token, { layout: null, readsLeft: readsUntilNextSearch });
    return layout;
  }

  /** The only layout whose slot has that amount; null where there is none, or several. */
  async function findLayout(
    endpoint: Endpoint,
    asked: TokenRead,
    { owner, amount }: { owner: Address; amount: bigint },
  ): Promise<TokenLayout | null> {
    const slots = knownLayouts.map((layout) => slotOf(keccak, layout, owner));
    const proven = await proveAccount(endpoint, keccak, { ...asked, account: asked.token, slots });
    const fitting = knownLayouts.filter((_, index) => proven.slots[index] === amount);
    return fitting.length === 1 ? (fitting[0] ?? null) : null;
  }
}

/** One answer of each host, whichever of its endpoints gave it. */
function answersOf<T>(said: T, others: readonly { host: string; answer: T | null }[]): Answers<T> {
  const byHost = new Map(
    others.flatMap(({ host, answer }) => (answer === null ? [] : [[host, answer] as const])),
  );
  const silent = others.flatMap(({ host }) => (byHost.has(host) ? [] : host));
  return { values: [said, ...byHost.values()], silent };
}

/** One is null where the token's contract fails. */
function askToken(
  endpoint: Endpoint,
  { blockHash, token, owners }: TokenRead,
): Promise<(bigint | null)[]> {
  const questions = owners.map(
    (walletAddress): BalanceQuestion => ({ walletAddress, assetAddress: token }),
  );
  return readBalances(endpoint, blockHash, questions);
}
