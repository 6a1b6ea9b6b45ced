import { defineCommand } from "../define-command.ts";
import { optionalArgument } from "../parameter.ts";
import type { ShowProgress } from "../verb-bindings.ts";

type CatchUpProgress = { from: bigint; position: bigint; target: bigint };

export type CatchUpPorts = {
  /**
   * Reads a configured chain up to its confirmed height, in this process.
   * @throws Fault `chain_not_found`
   */
  catchUp: (
    chainName: string,
    onProgress: (progress: CatchUpProgress) => void,
  ) => Promise<{ from: bigint; to: bigint; target: bigint }>;
  /** The names of the configured chains. */
  chainNames: readonly string[];
  showProgress: ShowProgress;
};

/**
 * Reads one chain, or every configured one, up to its confirmed height in the foreground. Safe to
 * repeat, and while a daemon runs.
 */
export const chainCatchUp = defineCommand({
  noun: null,
  name: "catch-up",
  help: "Catch a chain (or each of them, one after another) up to its confirmed height, then end. Safe beside a running daemon. You may interrupt it: it continues from where the ledger is.",
  examples: ["catch-up ethereum", "catch-up --json"],
  takes: {
    chain: optionalArgument("[chain]", "one of the configured chains; otherwise each of them"),
  },
  run: (ports: CatchUpPorts, { chain }: { chain: string | undefined }) =>
    catchUpChains(ports, chain),
});

/** Returns one outcome for each chain. `chain` undefined: every configured chain. */
export async function catchUpChains(
  ports: CatchUpPorts,
  chain: string | undefined,
): Promise<object[]> {
  const outcomes: object[] = [];
  for (const name of chain === undefined ? ports.chainNames : [chain]) {
    outcomes.push(await catchUp(ports, name));
  }
  return outcomes;
}

async function catchUp(ports: CatchUpPorts, chain: string): Promise<object> {
  const bars: ReturnType<ShowProgress>[] = [];
  const show = ({ from, position, target }: CatchUpProgress) => {
    if (bars.length === 0 && position < target) {
      bars.push(ports.showProgress(chain, Number(target - from)));
    }
    bars[0]?.update(Number((position < target ? position : target) - from));
  };
  try {
    const { from, to, target } = await ports.catchUp(chain, show);
    const [before, after, confirmed] = [from, to, target].map(String);
    return { chain, from: before, to: after, confirmed, blocks: Number(to - from) };
  } finally {
    bars[0]?.end();
  }
}
