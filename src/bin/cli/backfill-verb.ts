import type { Command } from "commander";
import { Fault } from "../../domain/fault.ts";
import type { HistoryProgress } from "../../domain/watch/history.ts";
import type { CatchUpProgress } from "../../watcher/catch-up/catch-up-now.ts";
import type { Verb } from "./verb.ts";
import { addVerb, parseBlock } from "./verb.ts";

/** `backfill` */
export function addBackfillVerb(program: Command, onVerb: (verb: Verb) => void): void {
  addVerb(program, {
    usage: "backfill [chain]",
    description:
      "Catch a chain (or each of them, one after another) up to its confirmed height, and end. Safe beside a running daemon and safe to break off: what is in the ledger is not read again. With --wallet: fill that wallet's history in, behind the head, and say whether it explains what the wallet held when it was first watched; what was asked for goes on in the daemon when this is broken off.",
    examples: [
      "backfill ethereum",
      "backfill --json",
      "backfill --wallet 018f… --from-block 19000000",
    ],
  })
    .option("--wallet <id>", "whose history is to be filled in")
    .option("--from-block <n>", "from which block on", parseBlock)
    .action((name: string | undefined, options: { wallet?: string; fromBlock?: number }) =>
      onVerb(async (commands, terminal, chains) => {
        const { wallet: walletId, fromBlock } = options;
        if (
          (walletId === undefined) !== (fromBlock === undefined) ||
          (walletId !== undefined && name !== undefined)
        ) {
          throw new Fault(
            "invalid_request",
            "A history takes --wallet and --from-block, and no chain.",
          );
        }
        if (walletId !== undefined && fromBlock !== undefined)
          return fillIn(await commands.backfillWallet({ walletId, fromBlock }), terminal, chains);
        const outcomes: object[] = [];
        for (const chain of name === undefined ? chains.names : [name]) {
          outcomes.push(await catchUp(chain, terminal, chains));
        }
        return outcomes;
      }),
    );
}

async function fillIn(
  asked: { wallet_id: string; from_block: number },
  terminal: Parameters<Verb>[1],
  chains: Parameters<Verb>[2],
): Promise<object> {
  const bars: ReturnType<typeof terminal.showProgress>[] = [];
  const show = ({ fromNumber, nextNumber, untilNumber }: HistoryProgress) => {
    const total = untilNumber - fromNumber + 1n;
    if (bars.length === 0 && nextNumber <= untilNumber)
      bars.push(terminal.showProgress("history", Number(total)));
    const done = nextNumber - fromNumber;
    bars[0]?.update(Number(done < total ? done : total));
  };
  try {
    const { nextNumber, verdict } = await chains.followHistory(asked.wallet_id, show);
    return { ...asked, next_block: Number(nextNumber), history: verdict ?? "filling" };
  } finally {
    bars[0]?.end();
  }
}

async function catchUp(
  chain: string,
  terminal: Parameters<Verb>[1],
  chains: Parameters<Verb>[2],
): Promise<object> {
  const bars: ReturnType<typeof terminal.showProgress>[] = [];
  const show = ({ from, position, target }: CatchUpProgress) => {
    if (bars.length === 0 && position < target) {
      bars.push(terminal.showProgress(chain, Number(target - from)));
    }
    bars[0]?.update(Number((position < target ? position : target) - from));
  };
  try {
    const { from, to, target } = await chains.backfill(chain, show);
    const [before, after, confirmed] = [from, to, target].map(String);
    return { chain, from: before, to: after, confirmed, blocks: Number(to - from) };
  } finally {
    bars[0]?.end();
  }
}
