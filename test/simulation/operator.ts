import { type AssetAddress, nativeAddress } from "../../src/domain/money/movement.ts";
import {
  addWallets,
  archiveWallet,
  configureChains,
  createBusiness,
  removeWallet,
  resetChain,
  setBusiness,
} from "../support/ledger/steps.ts";
import { customers, tokens } from "./chain/addresses.ts";
import { chainId } from "./chain/answers.ts";
import { idleChain, references } from "./streams/draw-filter.ts";
import { chainName, faultyLedger, type World } from "./world.ts";

/** Who changes what is watched, at any moment; several changes may be under way at once. */
export function createOperator(world: World) {
  const random = world.random("operator");
  const { profile, scheduler } = world;
  const life = scheduler.begin("operator");
  const businessIds: string[] = [];
  const ledger = faultyLedger(world, life, recording(world));

  async function setUp(): Promise<void> {
    await recording(world).configure([nativeAddress, ...tokens]);
    for (let index = 0; index < profile.businesses; index += 1) {
      const business = await createBusiness(world.db, {
        name: `Business ${index}`,
        isVerified: true,
      });
      const notifyPending = random.chance(0.5);
      await setBusiness(world.db, business.id, { notifyPending });
      businessIds.push(business.id);
    }
    for (const address of random.shuffle(customers).slice(0, profile.wallets)) {
      await recording(world).add(random.pick(businessIds), [address]);
    }
  }

  function attempt(what: string, work: Promise<unknown>): void {
    work.catch((error: unknown) => world.judge(`operator ${what}`, error));
  }

  function addSome(): void {
    // One of them may be watched already: then none is added.
    const addresses = random.shuffle(customers).slice(0, random.pick([1, 1, 1, 2, 3]));
    attempt("add", ledger.add(random.pick(businessIds), addresses));
  }

  async function removeOne(): Promise<void> {
    const live = await world.sql<{ id: string }>(
      "SELECT id FROM wallet WHERE removed_at IS NULL ORDER BY address",
    );
    if (live.length === 0) return;
    const way = random.pick(["remove", "archive"] as const);
    attempt(way, ledger[way](random.pick(live).id));
  }

  function configureSome(): void {
    const configured = tokens.filter(() => random.chance(0.7));
    attempt("configure", ledger.configure([nativeAddress, ...configured]));
  }

  return {
    businessIds,
    setUp,
    addSome,
    removeOne,
    configureSome,
    configureAll: () => attempt("configure", ledger.configure([nativeAddress, ...tokens])),
    reset: () => attempt("reset", ledger.reset()),
  };
}

/** The simulated chain as it is configured, with all of its assets or some. */
export function simulatedChain(addresses: readonly AssetAddress[] = [nativeAddress, ...tokens]) {
  const assets = addresses.map((address) => ({
    code: address === nativeAddress ? "COIN" : `T${tokens.indexOf(address)}`,
    address,
    decimals: address === nativeAddress ? 18 : 6,
    kind: "exact" as const,
  }));
  return { name: chainName, chainId, assets };
}

/** The operations, with a note of when each took effect. */
function recording(world: World) {
  const { known, db } = world;
  const changed = () => {
    world.changes += 1;
    return known.events++;
  };
  return {
    async add(businessId: string, addresses: readonly (typeof customers)[number][]) {
      const wallets = addresses.map((address, index) => ({
        chainName,
        address,
        purpose: index % 2 === 0 ? ("deposit" as const) : ("payment" as const),
        label: null,
        reference: world.ways === null ? null : referenceOf(address),
        fromBlock: null,
      }));
      const added = await addWallets(db, { businessId, wallets });
      const event = changed();
      for (const wallet of added) known.addedAt.set(wallet.id, event);
      for (const address of addresses) known.watched.add(address);
    },

    async remove(walletId: string) {
      // What holds money is leaving: it is watched on.
      const { removedAt } = await removeWallet(db, walletId);
      if (removedAt !== null) known.removed.set(walletId, await transactionsOf(world, walletId));
    },

    async archive(walletId: string) {
      await archiveWallet(db, walletId);
      known.removed.set(walletId, await transactionsOf(world, walletId));
    },

    async configure(addresses: readonly AssetAddress[]) {
      const chain = simulatedChain(addresses);
      const { assets } = chain;
      const idle = { name: idleChain, chainId: chainId + 1, assets: assets.slice(0, 1) };
      const chains = [chain, ...(world.ways === null ? [] : [idle])];
      await configureChains(db, chains, "removed");
      world.scheduler.note(`  configured: ${assets.map(({ code }) => code).join(", ")}`);
      const before = new Map(known.configuredAt);
      const event = changed();
      known.configuredAt.clear();
      for (const address of addresses) {
        known.configuredAt.set(address, before.get(address) ?? event);
      }
      for (const address of before.keys()) {
        if (!known.configuredAt.has(address)) known.away.add(address);
      }
    },

    async reset() {
      const outcome = await resetChain(db, chainName);
      known.resetAt = changed();
      known.settleAt = 0n;
      world.scheduler.note(`  reset: ${JSON.stringify(outcome)}`);
    },
  };
}

function referenceOf(address: (typeof customers)[number]): string | null {
  return references[customers.indexOf(address) % references.length] ?? null;
}

/** Which transactions a wallet has ever had. */
export async function transactionsOf(world: World, walletId: string): Promise<string> {
  const rows = await world.sql<{ id: string }>(
    "SELECT id FROM transaction WHERE wallet_id = $1 ORDER BY id",
    [walletId],
  );
  return rows.map((row) => row.id).join(",");
}
