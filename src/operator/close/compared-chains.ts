import { matterOf, type OpenMatter } from "../../domain/evidence/open-matter.ts";
import { Fault, type FaultCode } from "../../domain/fault.ts";
import type { Finding } from "../../domain/money/reconciliation.ts";
import { leavesOpen, presentDifference } from "../chain/reconcile.ts";
import type { ListedChain } from "./closing-index.ts";

export type ComparePorts = {
  /** Compares a chain's balances, of some wallets or with null of all, to the end. */
  compareChain: (
    chainName: string,
    walletIds: readonly string[] | null,
  ) => Promise<{ compared: number; open: number; findings: readonly Finding[] }>;
  clock: { now: () => number };
};

type Compared = {
  listed: ListedChain;
  /** Differing balances, by business. */
  differing: ReadonlyMap<string, readonly OpenMatter[]>;
};

/** The chains as one run found them. Each is compared once, when it is first asked about. */
export type ComparedChains = {
  /** @throws what is no fault of the chain's endpoints */
  of: (chainName: string) => Promise<Compared>;
  /**
   * An endpoint failed later: what follows leaves the chain alone. Answers the fault's code.
   * @throws the error where it is no fault of the chain's endpoints
   */
  giveUp: (chainName: string, error: unknown) => FaultCode;
  /** The chains that were compared, or could not be. */
  listed: () => ListedChain[];
};

export function createComparedChains({ compareChain, clock }: ComparePorts): ComparedChains {
  const known = new Map<string, Compared>();
  const at = () => new Date(clock.now()).toISOString();
  const compare = async (chainName: string): Promise<Compared> => {
    const { compared, open: not_shown, findings } = await compareChain(chainName, null);
    const of = { blockchain: chainName, at: at(), compared, not_shown };
    return { listed: { status: "compared", ...of }, differing: differingIn(chainName, findings) };
  };
  const unavailable = (chainName: string, error: unknown): Compared => {
    const of = { blockchain: chainName, at: at(), code: codeOfEndpoints(error) };
    return { listed: { status: "unavailable", ...of }, differing: new Map() };
  };
  return {
    async of(chainName) {
      const compared =
        known.get(chainName) ??
        (await compare(chainName).catch((error: unknown) => unavailable(chainName, error)));
      known.set(chainName, compared);
      return compared;
    },
    giveUp(chainName, error) {
      known.set(chainName, unavailable(chainName, error));
      return codeOfEndpoints(error);
    },
    listed: () => [...known.values()].map(({ listed }) => listed),
  };
}

const codesOfEndpoints: ReadonlySet<FaultCode> = new Set<FaultCode>([
  "rpc_unavailable",
  "rpc_inconsistent",
  "state_unavailable",
  "wrong_chain_id",
  "wrong_genesis",
]);

function codeOfEndpoints(error: unknown): FaultCode {
  if (error instanceof Fault && codesOfEndpoints.has(error.code)) return error.code;
  throw error;
}

function differingIn(chainName: string, findings: readonly Finding[]): Compared["differing"] {
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
  return matterOf(
    "differs",
    `at block ${block_number} the ledger has ${ledger} ${asset}, the chain ${chain}`,
    { chainName, walletId: wallet_id, assetCode: asset },
  );
}
