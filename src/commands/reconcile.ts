import { toChecksum } from "../domain/chain/checksum.ts";
import { isId } from "../domain/id.ts";
import { toDecimal } from "../domain/money/amount.ts";
import type { Finding } from "../domain/money/reconciliation.ts";
import { notFound } from "../domain/not-found.ts";

/** Compares a chain's balances, of one wallet or of all, to the end. */
type CompareChain = (
  chainName: string,
  walletIds: readonly string[] | null,
) => Promise<{ compared: number; findings: readonly Finding[] }>;

type Ports = {
  findWalletChain: (walletId: string) => Promise<string>;
  compareChain: CompareChain;
  chainNames: readonly string[];
};

export type ShownReconciliation = Awaited<ReturnType<typeof reconcile>>;

/**
 * Compares the ledger with the chains, now: of one wallet, or of every configured chain. Each difference is shown with
 * what came of it; `discrepancies` counts those that nothing explains.
 * @throws Fault `wallet_not_found`; `rpc_unavailable`, `state_unavailable` where a chain cannot be compared now
 */
export async function reconcile(ports: Ports, input: { walletId?: string }) {
  const { walletId } = input;
  if (walletId !== undefined && !isId(walletId)) throw notFound("wallet_not_found");
  const chainNames =
    walletId === undefined ? ports.chainNames : [await ports.findWalletChain(walletId)];
  const reports = [];
  for (const chainName of chainNames) {
    const ids = walletId === undefined ? null : [walletId];
    reports.push({ chainName, ...(await ports.compareChain(chainName, ids)) });
  }
  const differences = reports.flatMap(({ chainName, findings }) =>
    findings.map((finding) => presentFinding(chainName, finding)),
  );
  return {
    compared: reports.reduce((sum, { compared }) => sum + compared, 0),
    discrepancies: differences.filter(({ outcome }) => outcome === "discrepancy").length,
    differences,
  };
}

function presentFinding(chainName: string, finding: Finding) {
  const { balance, at, ledgerAtomic, chainAtomic, outcome } = finding;
  const decimal = (atomic: bigint) => toDecimal(atomic, balance.assetDecimals);
  return {
    blockchain: chainName,
    wallet_id: balance.walletId,
    address: toChecksum(balance.walletAddress),
    asset: balance.assetCode,
    block_number: Number(at.number),
    ledger: decimal(ledgerAtomic),
    chain: decimal(chainAtomic),
    difference: decimal(chainAtomic - ledgerAtomic),
    outcome,
  };
}
