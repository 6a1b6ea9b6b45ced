import { toChecksum } from "../../domain/chain/checksum.ts";
import { Fault, faultIn } from "../../domain/fault.ts";
import type { NewWallet, Wallet } from "../../domain/watch/wallet.ts";
import { WalletExists } from "../../domain/watch/wallet-conflict.ts";
import type { Tx } from "../postgres/transaction.ts";
import { addWallets } from "./add-wallets.ts";

type Addition = { businessId: string; keyId: string; wallets: readonly NewWallet[] };

/**
 * Adds wallets for a business's own key, up to the number that an operator granted to the key. All
 * or none. No fault tells who owns an address, or that another business has it.
 * @throws Fault `scope_missing`, `limit_reached`, `unknown_blockchain`, `invalid_address`;
 *   `wallet_exists` if the business has the wallet already; `address_refused` if another business
 *   has the address, or it is a contract's
 */
export async function addOwnWallets(tx: Tx, addition: Addition): Promise<Wallet[]> {
  const { businessId, wallets } = addition;
  // One call after another, so that together they do not exceed the limit. It does not lock the
  // business's row. A commit holds the chain's row and waits for the business's, and this call
  // locks the chain's row last. That would be a deadlock.
  await tx.$executeRaw`
    SELECT pg_advisory_xact_lock(hashtextextended(${`chainbell.own-wallets.${businessId}`}, 0))`;
  await requireRoom(tx, addition);
  await refuseContracts(tx, wallets);
  try {
    return await addWallets(tx, { businessId, wallets, takesOver: "own" });
  } catch (error) {
    const fault = faultIn(error);
    if (!(fault instanceof WalletExists)) throw error;
    throw withoutOwners(fault, addition);
  }
}

async function requireRoom(tx: Tx, { businessId, keyId, wallets }: Addition): Promise<void> {
  const key = await tx.apiKey.findFirst({
    where: { id: keyId, businessId },
    select: { maxWallets: true },
  });
  const most = key?.maxWallets ?? null;
  if (most === null) {
    throw new Fault(
      "scope_missing",
      "Adding wallets takes a key with the scope 'wallets:write': ask the operator for one.",
    );
  }
  const watched = await tx.wallet.count({ where: { businessId, removedAt: null } });
  if (watched + wallets.length <= most) return;
  throw new Fault(
    "limit_reached",
    `The business has ${watched} wallets, and this key adds up to ${most}: ask the operator for more.`,
  );
}

const zeroAddress = `0x${"0".repeat(40)}`;

/** Refuses the addresses of assets and the zero address, which cannot be wallets. */
async function refuseContracts(tx: Tx, wallets: readonly NewWallet[]): Promise<void> {
  const addresses = wallets.map(({ address }) => address as string);
  const assets = await tx.asset.findMany({
    where: { address: { in: addresses } },
    select: { chainName: true, address: true },
  });
  const isAsset = ({ chainName, address }: NewWallet) =>
    assets.some((asset) => asset.chainName === chainName && asset.address === address);
  const refused = wallets.filter((wallet) => wallet.address === zeroAddress || isAsset(wallet));
  if (refused.length > 0) throw addressRefused(refused);
}

function withoutOwners({ conflicts }: WalletExists, { businessId, wallets }: Addition): Fault {
  const taken = wallets.filter(({ chainName, address }) =>
    conflicts.some((one) => one.blockchain === chainName && one.address === address),
  );
  const isOwn = conflicts.length > 0 && conflicts.every((one) => one.businessId === businessId);
  if (!isOwn) return addressRefused(taken);
  return new Fault("wallet_exists", `${namesOf(taken)}: the business has it already.`);
}

function addressRefused(refused: readonly NewWallet[]): Fault {
  return new Fault(
    "address_refused",
    `${namesOf(refused)}: this installation does not take it from a business. Ask the operator.`,
  );
}

/** One sentence names at most this many addresses. */
const maxNamed = 10;

function namesOf(wallets: readonly NewWallet[]): string {
  const named = wallets.slice(0, maxNamed);
  return named.map((one) => `${toChecksum(one.address)} on ${one.chainName}`).join(", ");
}
