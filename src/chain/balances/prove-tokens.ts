import type { Address } from "../../domain/chain/address.ts";
import type { TokenLayout } from "../../domain/evidence/attestation.ts";
import { faultIn } from "../../domain/fault.ts";
import type { BalanceQuestion } from "../../domain/money/balance.ts";
import type { Endpoint } from "../endpoints/endpoint.ts";
import type { Keccak } from "../proof/hashing/keccak.ts";
import { type ProvenState, proveAccount } from "./prove-account.ts";
import { readBalances } from "./read-balances.ts";
import { knownLayouts, slotOf } from "./token-layouts.ts";

/** After so many reads a token whose layout was not found is looked at again. */
const readsUntilNextSearch = 100;

type Search = { layout: TokenLayout | null; readsLeft: number };

/** What an endpoint is asked of one token at one state. */
type TokenRead = ProvenState & { token: Address; owners: readonly Address[] };

/** Other endpoints than the one that proves, those of other hosts: they are asked what the token itself says. */
type Witnesses = () => AsyncIterable<Endpoint>;

/**
 * Proves balances of tokens by the slots in which they are kept. Where a token keeps them is found by asking: a layout
 * counts once a slot of it, proved, has what balanceOf answers for its owner, and a second host, where there is one, answers
 * the same. Each balance is held against balanceOf every time, since a token can be upgraded, or can mark an account in the
 * same slot.
 */
export function createTokenProver(keccak: Keccak) {
  const searches = new Map<Address, Search>();

  /** Balances in the order of the owners; null where this cannot be proved, or no endpoint's balanceOf says the same. */
  return async function proveTokens(
    endpoint: Endpoint,
    asked: TokenRead,
    witnesses: Witnesses,
  ): Promise<(bigint | null)[]> {
    const { token, owners } = asked;
    const said = await askToken(endpoint, asked);
    const layout = await layoutOf(endpoint, asked, { said, witnesses });
    if (layout === null) return owners.map(() => null);
    const slots = owners.map((owner) => slotOf(keccak, layout, owner));
    const { slots: held } = await proveAccount(endpoint, keccak, {
      ...asked,
      account: token,
      slots,
    });
    const proved = held.map((amount, index) => (amount === said[index] ? amount : null));
    const open = owners.filter((_, index) => proved[index] === null);
    if (open.length === 0) return proved;
    const confirmed = await confirm(
      { ...asked, owners: open },
      { held: held.filter((_, index) => proved[index] === null), witnesses },
    );
    return proved.map((amount, index) => {
      const owner = owners[index];
      return amount ?? (owner === undefined ? null : (confirmed.get(owner) ?? null));
    });
  };

  async function layoutOf(
    endpoint: Endpoint,
    asked: TokenRead,
    { said, witnesses }: { said: readonly bigint[]; witnesses: Witnesses },
  ): Promise<TokenLayout | null> {
    const known = searches.get(asked.token);
    if (known?.layout) return known.layout;
    if (known !== undefined && known.readsLeft > 0) {
      known.readsLeft -= 1;
      return null;
    }
    // Where every balance is zero, no slot differs from another.
    const at = said.findIndex((amount) => amount > 0n);
    const [owner, amount] = [asked.owners[at], said[at]];
    if (owner === undefined || amount === undefined) return null;
    const layout = await findLayout(endpoint, asked, { owner, amount });
    const isSure = layout !== null && (await isConfirmed(asked, { owner, amount, witnesses }));
    const found = isSure ? layout : null;
    searches.set(asked.token, { layout: found, readsLeft: readsUntilNextSearch });
    return found;
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

async function isConfirmed(
  asked: TokenRead,
  { owner, amount, witnesses }: { owner: Address; amount: bigint; witnesses: Witnesses },
): Promise<boolean> {
  let isAlone = true;
  for await (const witness of witnesses()) {
    isAlone = false;
    const [said] = (await tryToken(witness, { ...asked, owners: [owner] })) ?? [];
    if (said !== undefined) return said === amount;
  }
  return isAlone;
}

/** Which of these slots some other endpoint's balanceOf says as well. */
async function confirm(
  asked: TokenRead,
  { held, witnesses }: { held: readonly bigint[]; witnesses: Witnesses },
): Promise<ReadonlyMap<Address, bigint>> {
  const confirmed = new Map<Address, bigint>();
  for await (const witness of witnesses()) {
    const said = await tryToken(witness, asked);
    for (const [index, owner] of asked.owners.entries()) {
      const amount = held[index];
      if (amount !== undefined && said?.[index] === amount) confirmed.set(owner, amount);
    }
    if (confirmed.size === asked.owners.length) break;
  }
  return confirmed;
}

/** Null where it does not answer. */
async function tryToken(endpoint: Endpoint, asked: TokenRead): Promise<bigint[] | null> {
  try {
    return await askToken(endpoint, asked);
  } catch (error) {
    if (faultIn(error) === undefined) throw error;
    return null;
  }
}

function askToken(endpoint: Endpoint, { blockHash, token, owners }: TokenRead): Promise<bigint[]> {
  const questions = owners.map(
    (walletAddress): BalanceQuestion => ({ walletAddress, assetAddress: token }),
  );
  return readBalances(endpoint, blockHash, questions);
}
