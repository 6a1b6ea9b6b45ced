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
import { unlessGone } from "../gate/ask-again.ts";
import { isShown } from "../gate/shown.ts";

export type ComparePorts = {
  chain: Pick<ChainSource, "balancesAt" | "isAlone">;
  ledger: Pick<ReconcileLedger, "readLedgerBalances" | "readHash">;
};

/**
 * Balances of ledger and chain at one block, and those that differ. `open`: balances on which hosts
 * disagree, or which only one of several hosts reports. They count neither as equal nor as
 * different. `lowest`: the height at which they count as compared. It is the confirmed one also if
 * they were compared at the position. A reorg may take away blocks between the two. `undos`: as in
 * LedgerBalancesPage.
 */
export type Comparison = {
  balances: LedgerBalance[];
  undos: number;
  at: StoredBlock;
  lowest: bigint;
  differences: Difference[];
  open: ReadonlySet<LedgerBalance>;
};

/**
 * Compares balances of the ledger with the chain, at one block with a stored hash. Null: there is
 * nothing to compare, or that block has left the chain since.
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
  const { balances, undos, confirmed } = page;
  const lowest = (confirmed ?? at).number;
  const differences = balances.flatMap((balance): Difference[] => {
    const said = shown.get(balance);
    const ledgerAtomic = ledgerOf(balance);
    if (said === undefined || said.chainAtomic === ledgerAtomic) return [];
    return [{ balance, at, ledgerAtomic, ...said }];
  });
  const open = new Set(balances.filter((one) => !shown.has(one)));
  return { balances, undos, at, lowest, differences, open };
}

/** A balance as the chain shows it. */
type Shown = { chainAtomic: bigint; proof: BalanceProof };

/**
 * The balances that the chain shows at a block, and the amounts that the ledger should have there.
 */
type ChainAmounts = {
  at: StoredBlock;
  shown: ReadonlyMap<LedgerBalance, Shown>;
  ledgerOf: (balance: LedgerBalance) => bigint;
};

/**
 * With more balances than this, they are first read together without proofs. Then only those that
 * differ are proved.
 */
const provedAtOnce = 20;

/** Reads the chain's balances. Each that differs from the ledger is proved as well as possible. */
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
 * Reads at the confirmed height. If that state is gone, reads at the position, with pending
 * amounts. Null: both states are gone.
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
