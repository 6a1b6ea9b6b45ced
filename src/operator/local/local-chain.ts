import { type Address, parseAddress } from "../../domain/chain/address.ts";
import { Fault } from "../../domain/fault.ts";
import { toAtomic } from "../../domain/money/amount.ts";
import type { Page, PageRequest } from "../../domain/page.ts";
import { invalidField } from "../../domain/text.ts";
import type { Wallet, WalletFilter } from "../../domain/watch/wallet.ts";

/** An asset of the local chain. Its coin has no token. */
export type LocalAsset = { code: string; decimals: number; token: Address | null };

type LocalPayment = { asset: LocalAsset; from: Address; to: Address; amountAtomic: bigint };

/** The chain of development mode. It can pay from every account. */
export type LocalChain = {
  name: string;
  /** The coin first. */
  assets: readonly LocalAsset[];
  /** An account with coin. It is nobody's wallet. */
  payer: Address;
  /** The wallet of the demo business. */
  wallet: Address;
  /**
   * Pays, and resolves when the payment is in a block. If `payer` lacks tokens, they are minted
   * first.
   * @throws Fault `local_chain_failed` if the account has too little
   */
  pay: (payment: LocalPayment) => Promise<{ txHash: string; blockNumber: bigint }>;
  /**
   * Replaces the newest `depth` blocks by as many empty ones. Null: all blocks since the newest
   * transaction, including its own. `undone` has the hashes of the transactions in them.
   * @throws Fault `local_chain_failed` if the chain has fewer blocks, or no recent transaction
   */
  reorg: (depth: number | null) => Promise<{ from: bigint; to: bigint; undone: string[] }>;
};

export type LocalPorts = {
  /**
   * @throws Fault if this is not development mode with its local chain, or if its daemon does not
   *   run
   */
  openLocalChain: () => Promise<LocalChain>;
  ledger: { readWallets: (filter: WalletFilter, page: PageRequest) => Promise<Page<Wallet>> };
};

/**
 * The named account, or the demo business's wallet.
 * @throws Fault `wallet_not_found`
 * @throws Fault `state_unavailable` until the wallet's opening balance is read, because an earlier
 *   payment would be a part of it
 */
export async function accountOf(
  { ledger }: LocalPorts,
  { name: chainName, wallet: demo }: LocalChain,
  given: string | undefined,
): Promise<Address> {
  const address = given === undefined ? demo : parseAddress(given);
  const { rows } = await ledger.readWallets({ chainName, address }, { limit: 1, afterId: null });
  const [wallet] = rows;
  if (wallet?.status === "syncing")
    throw new Fault(
      "state_unavailable",
      `The wallet ${wallet.address} is still syncing: try again in a moment.`,
    );
  if (given !== undefined || wallet !== undefined) return address;
  throw new Fault(
    "wallet_not_found",
    `The demo business's wallet ${address} is not watched any more: name another one.`,
  );
}

/** The asset with that code, or the coin, and the decimal amount in atomic units. */
export function amountOf(
  chain: LocalChain,
  given: { asset: string | undefined; amount: string },
): { asset: LocalAsset; amountAtomic: bigint } {
  const wanted = given.asset?.toUpperCase();
  const asset = chain.assets.find(({ code }) => wanted === undefined || code === wanted);
  const codes = chain.assets.map(({ code }) => code).join(", ");
  if (asset === undefined) throw invalidField("asset", `expected one of ${codes}`);
  const amountAtomic = toAtomic(given.amount, asset.decimals);
  if (amountAtomic === null || amountAtomic === 0n)
    throw invalidField(
      "amount",
      `expected a number above 0, with at most ${asset.decimals} decimals`,
    );
  return { asset, amountAtomic };
}
