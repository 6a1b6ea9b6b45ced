import { z } from "zod";
import { Fault } from "../../domain/fault.ts";
import { requireId } from "../../domain/not-found.ts";
import { invalidField } from "../../domain/text.ts";
import type { HistoryProgress } from "../../domain/watch/history.ts";
import { count, idText } from "../../schema/answers.ts";
import { blockField, blockRule, isBlockNumber } from "../../schema/fields.ts";
import { type CatchUpPorts, catchUpChains } from "../chain/catch-up.ts";
import { defineCommand } from "../define-command.ts";
import { defineChange } from "../define-verb.ts";
import { block, optional, optionalArgument, text } from "../parameter.ts";
import type { ShowProgress } from "../verb-bindings.ts";

type Requested = { walletId: string; fromNumber: bigint };

type Ledger = { requestHistory: (asked: Requested) => Promise<Requested> };

const requestHistory = defineChange({
  noun: "wallet",
  http: {
    method: "POST",
    path: "/wallets/:id/backfill",
    summary: "Fill a wallet's history in from a block on",
    description: "Behind the head: it moves no balance and notifies nobody. Safe to repeat.",
    body: z.strictObject({ from_block: blockField }),
    status: 202,
    input: ({ params, body }) => ({ walletId: params.id, fromBlock: body.from_block }),
  },
  cli: null,
  check: ({ walletId, fromBlock }: { walletId: string; fromBlock: number }) => {
    const id = requireId(walletId, "wallet_not_found");
    if (!isBlockNumber(fromBlock)) throw invalidField("from_block", blockRule);
    return { walletId: id, fromNumber: BigInt(fromBlock) };
  },
  call: (ledger: Ledger, asked) => ledger.requestHistory(asked),
  audit: {
    action: "wallet.backfill",
    describe: ({ walletId, fromNumber }) => ({
      subject: walletId,
      details: { fromBlock: Number(fromNumber) },
    }),
  },
  answer: z.object({ wallet_id: idText, from_block: count }),
  present: ({ walletId, fromNumber }) => ({
    wallet_id: walletId,
    from_block: Number(fromNumber),
  }),
});

type FollowPorts = Parameters<typeof requestHistory.perform>[0] & {
  /** Waits until a requested history is read and judged. */
  followHistory: (
    walletId: string,
    onProgress: (progress: HistoryProgress) => void,
  ) => Promise<HistoryProgress>;
  showProgress: ShowProgress;
};

type Input = {
  chain: string | undefined;
  wallet: string | undefined;
  fromBlock: number | undefined;
};

const fillIn = defineCommand({
  noun: null,
  name: "backfill",
  help: "Fill in a wallet's history, behind the head, and say whether it explains the wallet's opening balance. You may interrupt it: the daemon goes on. Without --wallet: the old name of catch-up.",
  examples: ["backfill --wallet 018f… --from-block 19000000", "backfill ethereum"],
  takes: {
    chain: optionalArgument("[chain]"),
    wallet: optional("--wallet <id>", text, "whose history is to be filled in"),
    fromBlock: optional("--from-block <n>", block, "from which block on"),
  },
  run: (ports: FollowPorts & CatchUpPorts, { chain, wallet, fromBlock }: Input) => {
    if (wallet === undefined && fromBlock === undefined) return catchUpChains(ports, chain);
    if (wallet !== undefined && fromBlock !== undefined && chain === undefined)
      return follow(ports, { walletId: wallet, fromBlock });
    throw new Fault("invalid_request", "A history takes --wallet and --from-block, and no chain.");
  },
});

/**
 * Requests a wallet's history since a block. A watcher fills it in from confirmed blocks, while it
 * follows the head. It neither changes a balance nor notifies. Safe to repeat. The command line
 * waits until it is done. Without a wallet, it reads chains up to their confirmed height instead.
 * @throws Fault `wallet_not_found`, `invalid_request`
 */
export const walletBackfill = { ...requestHistory, cli: fillIn.cli };

async function follow(
  ports: FollowPorts,
  asked: { walletId: string; fromBlock: number },
): Promise<object> {
  const requested = await requestHistory.perform(ports, asked);
  const bars: ReturnType<ShowProgress>[] = [];
  const show = ({ fromNumber, nextNumber, untilNumber }: HistoryProgress) => {
    const total = untilNumber - fromNumber + 1n;
    if (bars.length === 0 && nextNumber <= untilNumber)
      bars.push(ports.showProgress("history", Number(total)));
    const done = nextNumber - fromNumber;
    bars[0]?.update(Number(done < total ? done : total));
  };
  try {
    const { nextNumber, verdict } = await ports.followHistory(requested.wallet_id, show);
    return { ...requested, next_block: Number(nextNumber), history: verdict ?? "filling" };
  } finally {
    bars[0]?.end();
  }
}
