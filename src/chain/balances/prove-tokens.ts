import type { Address } from "../../domain/chain/address.ts";
import type { BalanceProof } from "../../domain/chain/block-proof.ts";
import type { TokenLayout } from "../../domain/evidence/attestation.ts";
import type { BalanceQuestion } from "../../domain/money/balance.ts";
import { type Answers, judge } from "../../domain/watch/agreement.ts";
import type { Endpoint } from "../endpoints/endpoint.ts";
import type { Keccak } from "../proof/hashing/keccak.ts";
import { isEqual, readBalances } from "./asking/read-balances.ts";
import { type ProvenState, proveAccount } from "./prove-account.ts";
import { knownLayouts, slotOf } from "./token-layouts.ts";

/** After this many reads, the layout of a token is searched again if it was not found. */
const readsUntilNextSearch = 100;

type Search = { layout: TokenLayout | null; readsLeft: number };

/** A question to an endpoint about one token at one state. */
type TokenRead = ProvenState & { token: Address; owners: readonly Address[] };

/** Asks every endpoint on another host than the proving endpoint's; null: it does not answer. */
export type AskOtherHosts = <T>(
  work: (endpoint: Endpoint) => Promise<T>,
) => Promise<readonly { host: string; answer: T | null }[]>;

/** A balance and its proof. */
export type ProvedBalance = { amountAtomic: bigint; proof: BalanceProof };

/**
 * Proves token balances by the storage slots that hold them. It searches a token's layout. A layout
 * counts once a proved slot has the amount that balanceOf answers for the same owner. An upgraded
 * token may leave its old slots behind. So each read also compares every balance with the balanceOf
 * of every host that answers. The first difference ends the layout.
 *
 * The state root proves a slot's content, but only hosts can say that the token still uses that
 * slot. So a balance is `agreed` if `needed` hosts, or all configured ones, say so. If too few
 * answer, nothing is proved. If only one host is configured, its answer is enough.
 */
export function createTokenProver(keccak: Keccak, needed: number) {
  const searches = new Map<Address, Search>();

  /**
   * Balances in the order of the owners. Null: they cannot be proved, too few hosts answer, or a
   * host's balanceOf differs.
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
   * The known layout, or the one that fits the endpoint's answers. Null: none fits, or the search
   * is paused.
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
    // A layout can only be found by a balance above zero: empty slots are all alike.
    const at = said.findIndex((amount) => (amount ?? 0n) > 0n);
    const [owner, amount] = [asked.owners[at], said[at]];
    if (owner === undefined || amount === undefined || amount === null) return null;
    const layout = await findLayout(endpoint, asked, { owner, amount });
    if (layout === null)
      searches.set(asked.token, { layout: null, readsLeft: readsUntilNextSearch });
    return layout;
  }

  /** The only layout whose slot has that amount; null: none has, or several have. */
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

/** One answer for each host, from whichever of its endpoints. */
function answersOf<T>(said: T, others: readonly { host: string; answer: T | null }[]): Answers<T> {
  const byHost = new Map(
    others.flatMap(({ host, answer }) => (answer === null ? [] : [[host, answer] as const])),
  );
  const silent = others.flatMap(({ host }) => (byHost.has(host) ? [] : host));
  return { values: [said, ...byHost.values()], silent };
}

/** A null element: the token's contract fails. */
function askToken(
  endpoint: Endpoint,
  { blockHash, token, owners }: TokenRead,
): Promise<(bigint | null)[]> {
  const questions = owners.map(
    (walletAddress): BalanceQuestion => ({ walletAddress, assetAddress: token }),
  );
  return readBalances(endpoint, blockHash, questions);
}
