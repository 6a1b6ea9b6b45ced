import type { BalanceProof } from "../../domain/chain/block-proof.ts";
import { Fault } from "../../domain/fault.ts";
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

/** Balances as ledger and chain have them at one block, and those that differ. */
export type Comparison = { balances: LedgerBalance[]; at: StoredBlock; differences: Difference[] };

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
  const { at, amounts, proof, ledgerOf } = read;
  if ((await ports.ledger.readHash(asked.chainName, at.number)) !== at.hash) return null;
  const { balances } = page;
  const differences = balances.flatMap((balance, index): Difference[] => {
    const chainAtomic = amounts[index];
    if (chainAtomic === undefined)
      throw new Fault("invariant_broken", "A balance is missing from the answer.");
    const ledgerAtomic = ledgerOf(balance);
    return chainAtomic === ledgerAtomic ? [] : [{ balance, at, ledgerAtomic, chainAtomic, proof }];
  });
  return { balances, at, differences };
}

/** The chain's balances at a block, and what the ledger should say for the same block. */
type ChainAmounts = {
  at: StoredBlock;
  amounts: bigint[];
  proof: BalanceProof;
  ledgerOf: (balance: LedgerBalance) => bigint;
};

/** More are read together first, and only those that differ are proved. */
const provedAtOnce = 20;

/**
 * The chain's balances; each that differs from the ledger is proved as well as can be. Null where
 * one endpoint alone says that they differ, beside others that could be asked.
 */
async function readBalances(
  chain: ComparePorts["chain"],
  of: Pick<ChainAmounts, "at" | "ledgerOf"> & { balances: LedgerBalance[] },
): Promise<Pick<ChainAmounts, "amounts" | "proof"> | null> {
  const { at, balances, ledgerOf } = of;
  const isWide = balances.length > provedAtOnce;
  const read = await chain.balancesAt(at.hash, balances, { isWide });
  const { amounts, proof } = read;
  const differing = balances.filter((balance, index) => ledgerOf(balance) !== amounts[index]);
  if (differing.length === 0) return { amounts, proof };
  if (!isWide) return isShown(chain, read) ? { amounts, proof } : null;
  const proved = await chain.balancesAt(at.hash, differing);
  if (!isShown(chain, proved)) return null;
  const byBalance = new Map(differing.map((balance, index) => [balance, proved.amounts[index]]));
  const shown = balances.map((one, index) => byBalance.get(one) ?? amounts[index] ?? 0n);
  return { amounts: shown, proof: proved.proof };
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
    return shown === null ? null : { at, ...shown, ledgerOf };
  };
  const atConfirmed =
    confirmed === null ? null : await read(confirmed, ({ confirmedAtomic }) => confirmedAtomic);
  return (
    atConfirmed ??
    read(position, ({ confirmedAtomic, pendingAtomic }) => confirmedAtomic + pendingAtomic)
  );
}
