import type { BalanceProof } from "../../domain/chain/block-proof.ts";
import { Fault } from "../../domain/fault.ts";
import type { BalancesRead } from "../../domain/money/balance.ts";
import type {
  Difference,
  LedgerBalance,
  LedgerBalancesAsked,
  LedgerBalancesPage,
  StoredBlock,
} from "../../domain/money/reconciliation.ts";
import type { ChainSource } from "../../domain/watch/chain-source.ts";
import type { ReconcileLedger } from "../../domain/watch/watcher-ledger.ts";
import { isShown, unlessGone } from "../gate/shown.ts";

export type ComparePorts = {
  chain: Pick<ChainSource, "balancesAt" | "isAlone">;
  ledger: Pick<ReconcileLedger, "readLedgerBalances" | "readHash">;
};

/**
 * Balances as ledger and chain have them at one block, and those that differ. `open`: those of
 * which hosts say different things, or one host alone says something beside others. They neither
 * agree nor differ.
 */
export type Comparison = {
  balances: LedgerBalance[];
  at: StoredBlock;
  differences: Difference[];
  open: ReadonlySet<LedgerBalance>;
};

/**
 * Compares balances of the ledger with the chain, at one block whose hash is stored. Null where
 * there is nothing to compare, or the block that they were compared at has left the chain
 * meanwhile.
 * @throws Fault `rpc_unavailable`, `database_unavailable`
 */
export async function compare(
  ports: ComparePorts,
  asked: LedgerBalancesAsked,
): Promise<Comparison | null> {
  const page = await ports.ledger.readLedgerBalances(asked);
  if (page === null) return null;
  const read = await readChain(ports, page);
  if (read === null) return null;
  const { at, ledgerOf, shown } = read;
  if ((await ports.ledger.readHash(asked.chainName, at.number)) !== at.hash) return null;
  const { balances } = page;
  const differences = balances.flatMap((balance): Difference[] => {
    const said = shown.get(balance);
    const ledgerAtomic = ledgerOf(balance);
    if (said === undefined || said.chainAtomic === ledgerAtomic) return [];
    return [{ balance, at, ledgerAtomic, ...said }];
  });
  return { balances, at, differences, open: new Set(balances.filter((one) => !shown.has(one))) };
}

/** A balance as the chain shows it. */
type Shown = { chainAtomic: bigint; proof: BalanceProof };

/**
 * The chain's balances at a block, without those that are not shown, and what the ledger should say
 * for the same block.
 */
type ChainAmounts = {
  at: StoredBlock;
  shown: ReadonlyMap<LedgerBalance, Shown>;
  ledgerOf: (balance: LedgerBalance) => bigint;
};

/** More are read together first, and only those that differ are proved. */
const provedAtOnce = 20;

/** The chain's balances; each that differs from the ledger is proved as well as can be. */
async function readBalances(
  chain: ComparePorts["chain"],
  of: Pick<ChainAmounts, "at" | "ledgerOf"> & { balances: LedgerBalance[] },
): Promise<ChainAmounts["shown"]> {
  const { at, balances, ledgerOf } = of;
  const isWide = balances.length > provedAtOnce;
  const read = await chain.balancesAt(at.hash, balances, { isWide });
  const shown = shownOf(chain, balances, read);
  if (!isWide) return shown;
  const again = balances.filter((one) => shown.get(one)?.chainAtomic !== ledgerOf(one));
  if (again.length === 0) return shown;
  const proved = shownOf(chain, again, await chain.balancesAt(at.hash, again));
  const settled = [...shown].filter(([balance]) => !again.includes(balance));
  return new Map([...settled, ...proved]);
}

function shownOf(
  chain: ComparePorts["chain"],
  balances: readonly LedgerBalance[],
  read: BalancesRead,
): Map<LedgerBalance, Shown> {
  const { amounts, proofs } = read;
  if (amounts.length !== balances.length)
    throw new Fault("invariant_broken", "A balance is missing from the answer.");
  return new Map(
    balances.flatMap((balance, place): [LedgerBalance, Shown][] => {
      const chainAtomic = amounts[place];
      const proof = proofs[place];
      const isNone = chainAtomic === undefined || proof === undefined;
      return isNone || !isShown(chain, read, place) ? [] : [[balance, { chainAtomic, proof }]];
    }),
  );
}

/**
 * At the confirmed height; where that state is gone, at the position, with what is pending. Null:
 * at neither.
 */
async function readChain(
  { chain }: ComparePorts,
  page: LedgerBalancesPage,
): Promise<ChainAmounts | null> {
  const { confirmed, position, balances } = page;
  const read = async (at: StoredBlock, ledgerOf: ChainAmounts["ledgerOf"]) => {
    const shown = await unlessGone(readBalances(chain, { at, balances, ledgerOf }));
    return shown === null ? null : { at, shown, ledgerOf };
  };
  const atConfirmed =
    confirmed === null ? null : await read(confirmed, ({ confirmedAtomic }) => confirmedAtomic);
  return (
    atConfirmed ??
    read(position, ({ confirmedAtomic, pendingAtomic }) => confirmedAtomic + pendingAtomic)
  );
}
