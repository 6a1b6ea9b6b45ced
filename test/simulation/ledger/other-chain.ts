import type { Address } from "../../../src/domain/chain/address.ts";
import { type AssetAddress, nativeAddress } from "../../../src/domain/money/movement.ts";
import { addWallets, archiveWallet, configureChains } from "../../support/ledger/steps.ts";
import { createWatcherLedger } from "../../support/ledger/watcher-ledger.ts";
import { writtenChain } from "../../support/ledger/written-chain.ts";
import { tokens } from "../chain/addresses.ts";
import { chainId } from "../chain/answers.ts";
import { simulatedChain } from "../operator.ts";
import type { Random } from "../random.ts";
import type { World } from "../world.ts";

const chainName = "other";

/** Of the codes that the simulated chain has, with other decimals; and one that rebases. */
const [known, rebasing] = tokens.slice(0, 2) as [Address, Address];
const assets = [
  { code: "COIN", address: nativeAddress, decimals: 8, kind: "exact" },
  { code: "T0", address: known, decimals: 18, kind: "exact" },
  { code: "T1", address: rebasing, decimals: 27, kind: "rebasing" },
] as const;

type Holder = { businessId: string; walletId: string; address: string };

/**
 * Gives each business a history on a second chain, by the ledger's own commits: openings, payments,
 * reorganisations that go below the confirmed height, rebases, and wallets that are removed. Its
 * assets have the codes of the simulated chain's, and other decimals.
 */
export async function writeOtherChain(world: World, businessIds: readonly string[]): Promise<void> {
  const { db } = world;
  const random = world.random("other chain");
  await world.tellTime();
  const other = { name: chainName, chainId: chainId + 2, assets };
  await configureChains(db, [simulatedChain(), other], "removed");
  const firstMs = world.chain.head().timeMs - 100_000;
  const chain = await writtenChain(db, chainName, firstMs);
  const holders: Holder[] = [];
  for (const [place, businessId] of businessIds.entries())
    for (let count = random.int(1, 3); count > 0; count -= 1) {
      const address: Address = `0x${"0d".repeat(18)}${place.toString(16)}${count}aa` as Address;
      const wallet = { chainName, address, purpose: "deposit" as const, label: null };
      const wallets = [{ ...wallet, reference: null, fromBlock: null }];
      const [added] = await addWallets(db, { businessId, wallets });
      holders.push({ businessId, walletId: added?.id ?? "", address });
    }
  await recordOpenings(world, random);
  for (let step = random.int(12, 30); step > 0; step -= 1) {
    await chain.commit(paymentsOf(random, holders));
    if (random.chance(0.15)) await chain.undo(random.int(1, 4));
    if (random.chance(0.3)) await rebase(world, random);
  }
  // Blocks that the last reorganisation took are there again, and confirmed.
  for (let count = 8; count > 0; count -= 1) await chain.commit([]);
  const last = holders.at(-1);
  if (last !== undefined && holders.length > 1) await archiveWallet(db, last.walletId);
}

function paymentsOf(random: Random, holders: readonly Holder[]) {
  return Array.from({ length: random.int(0, 4) }, () => {
    const assetAddress: AssetAddress = random.pick(assets).address;
    const amount = BigInt(random.pick([1, 5, 1_000_000, 2 ** 40]));
    const effectAtomic = random.chance(0.3) ? -amount : amount;
    return { ...random.pick(holders), assetAddress, effectAtomic };
  });
}

/** What each wallet held at first: enough for all that it pays. */
async function recordOpenings({ db }: World, random: Random): Promise<void> {
  const ledger = createWatcherLedger(db);
  const { due } = await ledger.readDueOpenings(chainName, { after: null, limit: 1_000 });
  const read = due.flatMap(({ atHash, ...opening }) =>
    atHash === null
      ? []
      : [
          {
            ...opening,
            atHash,
            amountAtomic: 10n ** 24n + BigInt(random.int(0, 1_000_000)),
            readNumber: opening.atNumber,
            readHash: atHash,
            proof: "answered" as const,
          },
        ],
  );
  await ledger.recordOpenings(chainName, read);
}

/** Each balance of the token becomes another one, as a comparison with its chain would find. */
async function rebase({ db }: World, random: Random): Promise<void> {
  const ledger = createWatcherLedger(db);
  const asked = { chainName, walletIds: null, after: null, limit: 1_000 };
  const page = await ledger.readLedgerBalances(asked);
  if (page === null || page.confirmed === null) return;
  const [times, by] = random.pick([
    [11n, 10n],
    [1n, 2n],
    [1_000_001n, 1_000_000n],
  ] as const);
  for (const balance of page.balances.filter(({ assetKind }) => assetKind === "rebasing")) {
    const ledgerAtomic = balance.confirmedAtomic;
    const chainAtomic = (ledgerAtomic * times) / by;
    if (chainAtomic === ledgerAtomic) continue;
    const change = { balance, at: page.confirmed, ledgerAtomic, chainAtomic };
    const of = { proof: "answered", since: balance.walletSince, type: "adjustment" } as const;
    await ledger.recordCorrection(chainName, { ...change, ...of });
  }
}
