import { z } from "zod";
import { Fault } from "../../domain/fault.ts";
import { requireId } from "../../domain/not-found.ts";
import { invalidField } from "../../domain/text.ts";
import type { HistoryProgress, HistoryVerdict } from "../../domain/watch/history.ts";
import { count, idText } from "../../schema/answers.ts";
import { blockField, blockRule, isBlockNumber } from "../../schema/fields.ts";
import { type CatchUpPorts, catchUpChains } from "../chain/catch-up.ts";
import { defineCommand } from "../define-command.ts";
import { defineChange } from "../define-verb.ts";
import { block, optional, optionalArgument, text, toggle } from "../parameter.ts";
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
  /**
   * Waits until a requested history is read and judged, or nobody can go on with it now.
   * `isWatched`: a daemon watches the chain.
   */
  followHistory: (
    walletId: string,
    onProgress: (progress: HistoryProgress) => void,
  ) => Promise<HistoryProgress & { isWatched: boolean }>;
  showProgress: ShowProgress;
  isDevelopment: boolean;
};

type Input = {
  chain: string | undefined;
  wallet: string | undefined;
  fromBlock: number | undefined;
  wait: boolean | undefined;
};

type Followed = {
  wallet_id: string;
  from_block: number;
  next_block?: number;
  history: HistoryVerdict | "filling";
  /** Names who goes on with a history that is not judged yet. */
  says?: string;
};

const fillIn = defineCommand({
  noun: null,
  name: "backfill",
  help: "Fill in a wallet's history, behind the head, and say whether it explains the wallet's opening balance. You may interrupt it: the daemon goes on. It ends with status 75 if nobody can go on now. Without --wallet: the old name of catch-up.",
  examples: ["backfill --wallet 018f… --from-block 19000000", "backfill ethereum"],
  takes: {
    chain: optionalArgument("[chain]", "of catch-up: this chain alone"),
    wallet: optional("--wallet <id>", text, "the wallet with the history"),
    fromBlock: optional("--from-block <n>", block, "the first block of the history"),
    wait: toggle("wait", {
      on: "until the history is judged, or nobody can go on with it; the default",
      off: "leave it to the daemon",
    }),
  },
  run: (
    ports: FollowPorts & CatchUpPorts,
    { chain, wallet, fromBlock, wait }: Input,
  ): Promise<object[] | Followed> => {
    if (wallet !== undefined && fromBlock !== undefined && chain === undefined)
      return follow(ports, { walletId: wallet, fromBlock, isWaiting: wait !== false });
    if (wallet === undefined && fromBlock === undefined && wait === undefined)
      return catchUpChains(ports, chain);
    throw new Fault("invalid_request", "A history takes --wallet and --from-block, and no chain.");
  },
  isUnfinished: (answer) => "says" in answer,
});

/**
 * Requests a wallet's history since a block. A watcher fills it in from confirmed blocks, while it
 * follows the head. It neither changes a balance nor notifies. Safe to repeat. The command line
 * waits until it is done, or says that no daemon goes on with it. Without a wallet, it reads chains
 * up to their confirmed height instead.
 * @throws Fault `wallet_not_found`, `invalid_request`
 */
export const walletBackfill = { ...requestHistory, cli: fillIn.cli };

type Unfinished = Pick<HistoryProgress, "chainName" | "heldAt"> & { isWatched: boolean };

/** Says why a history is not complete or not judged, what to do, and who goes on with it. */
function goesOn({ chainName, heldAt, isWatched }: Unfinished, isDevelopment: boolean): string {
  if (heldAt !== null) {
    const ofLocalChain = isDevelopment
      ? "The local chain keeps the traces of its newest 64 blocks alone. For a new chain, end the daemon and run 'dev reset'. "
      : "";
    return `The endpoints of '${chainName}' do not show the blocks of a history from ${heldAt} on; the log says why. Add an endpoint that keeps old blocks with their traces. ${ofLocalChain}The order is kept: the daemon tries it again each minute.`;
  }
  return isWatched
    ? "All blocks are read. The daemon judges the history once the wallet has its opening balance."
    : `No daemon watches '${chainName}'. The order is kept: a daemon goes on with it as soon as it watches the chain.`;
}

async function follow(
  ports: FollowPorts,
  { isWaiting, ...asked }: { walletId: string; fromBlock: number; isWaiting: boolean },
): Promise<Followed> {
  const requested = await requestHistory.perform(ports, asked);
  if (!isWaiting) return { ...requested, history: "filling" };
  const bars: ReturnType<ShowProgress>[] = [];
  const show = ({ fromNumber, nextNumber, untilNumber }: HistoryProgress) => {
    const total = untilNumber - fromNumber + 1n;
    if (bars.length === 0 && nextNumber <= untilNumber)
      bars.push(ports.showProgress("history", Number(total)));
    const done = nextNumber - fromNumber;
    bars[0]?.update(Number(done < total ? done : total));
  };
  try {
    const followed = await ports.followHistory(requested.wallet_id, show);
    const next_block = Number(followed.nextNumber);
    const { verdict } = followed;
    if (verdict !== null) return { ...requested, next_block, history: verdict };
    return {
      ...requested,
      next_block,
      history: "filling",
      says: goesOn(followed, ports.isDevelopment),
    };
  } finally {
    bars[0]?.end();
  }
}
