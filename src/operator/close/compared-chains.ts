import { differs, matterOf, type OpenMatter } from "../../domain/evidence/open-matter.ts";
import { Fault, type FaultCode, kindOf } from "../../domain/fault.ts";
import type { Finding } from "../../domain/money/reconciliation.ts";
import { remedyOf, stoppingCodes } from "../../domain/remedy.ts";
import { leavesOpen, presentDifference } from "../chain/reconcile.ts";
import type { ListedChain } from "./closing-index.ts";

export type ComparePorts = {
  /** Compares all balances on a chain, or those of the given wallets (null: all). */
  compareChain: (
    chainName: string,
    walletIds: readonly string[] | null,
  ) => Promise<{ compared: number; open: number; findings: readonly Finding[] }>;
  clock: { now: () => number };
};

/** A chain that could not be compared. */
export type FailedChain = { listed: ListedChain } & (
  | { kind: "unavailable"; code: FaultCode }
  /** Another run has the same result until somebody repairs the chain or its configuration. */
  | { kind: "unreadable"; matter: OpenMatter }
);

type ComparedChain =
  | FailedChain
  | {
      kind: "compared";
      listed: ListedChain;
      /** Differing balances, by business. */
      differing: ReadonlyMap<string, readonly OpenMatter[]>;
    };

/** The chains as one run finds them. Each is compared once, at the first call for it. */
export type ComparedChains = {
  /** @throws any error that neither the chain nor its endpoints caused */
  of: (chainName: string) => Promise<ComparedChain>;
  /**
   * Notes that a later request to the chain failed. The rest of the run skips the chain.
   * @throws the error if neither the chain nor its endpoints caused it
   */
  giveUp: (chainName: string, error: unknown) => FailedChain;
  /** The chains that were compared, or could not be. */
  listed: () => ListedChain[];
};

export function createComparedChains({ compareChain, clock }: ComparePorts): ComparedChains {
  const known = new Map<string, ComparedChain>();
  const at = () => new Date(clock.now()).toISOString();
  const compare = async (chainName: string): Promise<ComparedChain> => {
    const { compared, open: not_shown, findings } = await compareChain(chainName, null);
    const of = { blockchain: chainName, at: at(), compared, not_shown };
    const differing = differingIn(chainName, findings);
    return { kind: "compared", listed: { status: "compared", ...of }, differing };
  };
  return {
    async of(chainName) {
      const compared =
        known.get(chainName) ??
        (await compare(chainName).catch((error: unknown) => failed(chainName, at(), error)));
      known.set(chainName, compared);
      return compared;
    },
    giveUp(chainName, error) {
      const chain = failed(chainName, at(), error);
      known.set(chainName, chain);
      return chain;
    },
    listed: () => [...known.values()].map(({ listed }) => listed),
  };
}

/** The matters on this chain that prevent the closing of a business with wallets on it. */
export function openOn(chain: ComparedChain, businessId: string): readonly OpenMatter[] {
  if (chain.kind === "unreadable") return [chain.matter];
  return chain.kind === "compared" ? (chain.differing.get(businessId) ?? []) : [];
}

/** Faults of endpoints. Another run can do what they prevented. */
const passing: ReadonlySet<FaultCode> = new Set<FaultCode>([
  "rpc_unavailable",
  "rpc_inconsistent",
  "state_unavailable",
]);

/** Faults of the chain or of its configuration. Waiting does not repair them. */
const lasting: ReadonlySet<FaultCode> = new Set<FaultCode>(
  stoppingCodes.filter((code) => kindOf(code) === "setup"),
);

/** @throws the error if neither the chain nor its endpoints caused it */
function failed(chainName: string, at: string, error: unknown): FailedChain {
  const code = error instanceof Fault ? error.code : null;
  if (code === null || !(passing.has(code) || lasting.has(code))) throw error;
  const listed = { status: "unavailable", blockchain: chainName, at, code } as const;
  if (passing.has(code)) return { kind: "unavailable", listed, code };
  // Leaves out the fault's own message: it may quote an endpoint, which is only for the operator.
  const what = `${chainName} cannot be read (${code}). ${remedyOf(code)}`;
  const matter = matterOf("chain_unreadable", what, { chainName });
  return { kind: "unreadable", listed, matter };
}

/** Differing balances, by business. */
function differingIn(
  chainName: string,
  findings: readonly Finding[],
): ReadonlyMap<string, readonly OpenMatter[]> {
  const differing = new Map<string, OpenMatter[]>();
  for (const finding of findings.filter(leavesOpen)) {
    const { businessId } = finding.balance;
    const known = differing.get(businessId) ?? [];
    known.push(differenceOf(chainName, finding));
    differing.set(businessId, known);
  }
  return differing;
}

function differenceOf(chainName: string, finding: Finding): OpenMatter {
  const { wallet_id, asset, block_number, ledger, chain } = presentDifference(chainName, finding);
  return differs({
    chainName,
    walletId: wallet_id,
    assetCode: asset,
    blockNumber: block_number,
    ledger,
    chain,
  });
}
