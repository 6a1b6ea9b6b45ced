import { z } from "zod";
import { toChecksum } from "../../domain/chain/checksum.ts";
import { toDecimal } from "../../domain/money/amount.ts";
import type { Finding } from "../../domain/money/reconciliation.ts";
import { requireId } from "../../domain/not-found.ts";
import { idText } from "../../schema/answers.ts";
import { defineReading } from "../define-verb.ts";
import { optional, text } from "../parameter.ts";

type Compared = { compared: number; open: number; findings: readonly Finding[] };

type Ports = {
  ledger: {
    /** The chain of a watched wallet. @throws Fault `wallet_not_found` */
    findWalletChain: (walletId: string) => Promise<string>;
  };
  /** Compares all balances on a chain, or those of the given wallets (null: all). */
  compareChain: (chainName: string, walletIds: readonly string[] | null) => Promise<Compared>;
  /** The names of the configured chains. */
  chainNames: readonly string[];
};

/**
 * The outcomes after which a difference is open: nothing explains it, or it needs another
 * comparison.
 */
const openOutcomes: ReadonlySet<Finding["outcome"]> = new Set<Finding["outcome"]>([
  "discrepancy",
  "moved",
]);

/** True if the difference is open: nothing explains it, or it needs another comparison. */
export function leavesOpen({ outcome }: Pick<Finding, "outcome">): boolean {
  return openOutcomes.has(outcome);
}

type ChainReport = Compared & { chainName: string };

const difference = z.object({
  blockchain: z.string(),
  wallet_id: idText,
  address: z.string(),
  asset: z.string(),
  block_number: z.int(),
  ledger: z.string(),
  chain: z.string(),
  difference: z.string(),
  outcome: z.enum([
    "found",
    "adjusted",
    "unattributed",
    "opening_corrected",
    "discrepancy",
    "moved",
  ]),
});

/**
 * Compares the ledger with the chains now: one wallet, or every configured chain. Shows each
 * difference with its outcome. `discrepancies` counts those that nothing explains, or that changed
 * during the comparison. Safe to repeat, and while a daemon runs.
 * @throws Fault `wallet_not_found`
 * @throws Fault `wrong_chain_id`, `wrong_genesis` if the endpoints serve another chain
 * @throws Fault `rpc_unavailable`, `state_unavailable` if a chain cannot be compared now
 */
export const chainReconcile = defineReading({
  noun: "chain",
  http: {
    method: "POST",
    path: "/reconcile",
    summary: "Compare the ledger with the chains, and answer when it is done",
    description:
      "Of one wallet, or of all. `found`: reading the blocks again explained it. `adjusted`: an asset that changes by itself. `unattributed`: what contracts paid, on a chain that cannot be traced. `opening_corrected`: the opening balance had been read wrong. `discrepancy`: nothing explains it. `moved`: it changed meanwhile, and is open until it has been looked at again.",
    body: z.strictObject({ wallet_id: z.string("expected an id").optional() }).nullish(),
    refuses: ["wallet_not_found", "rpc_unavailable", "state_unavailable"],
    input: ({ body }) => ({ wallet: body?.wallet_id }),
  },
  cli: {
    name: "reconcile",
    isTopLevel: true,
    help: "Compare the ledger with the chains, of all wallets or of one. Each difference has an outcome. found: by reading its blocks again. adjusted: an asset that changes by itself. unattributed: on a chain that cannot be traced. opening_corrected: the opening balance had been read wrong. moved: it changed meanwhile. discrepancy: nothing explains it. Status 3 where there are discrepancies.",
    examples: ["reconcile", "reconcile --wallet 018f… --json"],
    takes: { wallet: optional("--wallet <id>", text, "of this wallet alone") },
    hasFindings: ({ discrepancies }) => discrepancies > 0,
  },
  check: ({ wallet }: { wallet: string | undefined }) =>
    wallet === undefined ? null : requireId(wallet, "wallet_not_found"),
  call: compareChains,
  answer: z.object({
    compared: z.int(),
    not_shown: z.int().meta({
      description:
        "The number of balances that no state root shows and no two hosts give alike. They count neither as equal nor as different.",
    }),
    discrepancies: z.int(),
    differences: z.array(difference),
  }),
  present: (reports) => {
    const differences = reports.flatMap(presentFindings);
    return {
      compared: reports.reduce((sum, { compared }) => sum + compared, 0),
      not_shown: reports.reduce((sum, { open }) => sum + open, 0),
      discrepancies: differences.filter(leavesOpen).length,
      differences,
    };
  },
});

async function compareChains(ports: Ports, walletId: string | null): Promise<ChainReport[]> {
  const chainNames =
    walletId === null ? ports.chainNames : [await ports.ledger.findWalletChain(walletId)];
  const walletIds = walletId === null ? null : [walletId];
  const reports: ChainReport[] = [];
  for (const chainName of chainNames) {
    reports.push({ chainName, ...(await ports.compareChain(chainName, walletIds)) });
  }
  return reports;
}

function presentFindings({ chainName, findings }: ChainReport): z.output<typeof difference>[] {
  return findings.map((finding) => presentDifference(chainName, finding));
}

/** A difference as an operator sees it. */
export function presentDifference(
  chainName: string,
  { balance, at, ledgerAtomic, chainAtomic, outcome }: Finding,
): z.output<typeof difference> {
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
