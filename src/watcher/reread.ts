import type { BlockHeader, Position } from "../domain/chain/block.ts";
import type { BalanceKey, BalanceQuestion } from "../domain/money/balance.ts";
import { signedOf, sumsOf } from "../domain/money/balance-change.ts";
import { isOnlyTraced, type MatchedTransaction } from "../domain/money/matched-transaction.ts";
import type { LoadedBlock } from "../domain/money/movement.ts";
import type { ChainSource } from "../domain/watch/chain-source.ts";
import type { ReadAgain } from "../domain/watch/commit.ts";
import type { CorrectingLedger } from "../domain/watch/watcher-ledger.ts";
import type { Watchlist } from "../domain/watch/watchlist.ts";
import type { Logger } from "../runtime/logger.ts";
import { findDifference, readAround } from "./balances-after.ts";
import { matchMovements } from "./match-movements.ts";

export type RereadPorts = {
  chain: Pick<ChainSource, "loadBlock" | "balancesAt" | "coinSteps" | "agreeOnMoves" | "isAlone">;
  ledger: Pick<CorrectingLedger, "replaceRead">;
  log: Logger;
};

type Asked = {
  chainName: string;
  block: Position;
  balance: BalanceKey & BalanceQuestion;
  list: Watchlist;
};

type Reading = { header: BlockHeader; matched: MatchedTransaction[] };

/**
 * Reads a block once more for one balance whose movements in it are in doubt. The new reading
 * replaces the movements that are written. Movements that an endpoint had invented are dropped or
 * reversed. Movements that it had hidden are written.
 *
 * Two readings of the very block must be the same, and add up to the balance's change. More than
 * one endpoint or the state root must show that change. The two readings are of different hosts
 * where others can be asked. Balances from the chain's only host decide only about movements that
 * wait for their proof. They take back nothing that was shown once. Safe to repeat.
 * @returns whether it was replaced
 */
export async function reread(ports: RereadPorts, asked: Asked): Promise<boolean> {
  const { chainName, block, balance } = asked;
  const reading = await readAgreed(ports.chain, asked);
  if (reading === null) return false;
  const takesBack = await weigh(ports.chain, asked, reading);
  if (takesBack === null) return false;
  const { walletId, assetId } = balance;
  const read = { chainName, walletId, assetId, ...reading, takesBack };
  const outcome = await ports.ledger.replaceRead(read);
  if (outcome.kind !== "replaced") return false;
  const fields = { chain: chainName, walletId, block: block.number, ...outcome };
  ports.log.warn(fields, "transactions.corrected");
  return true;
}

/** Null where the readings are not the same, or another block is at that height now. */
async function readAgreed(
  chain: Pick<RereadPorts["chain"], "loadBlock" | "agreeOnMoves">,
  asked: Asked,
): Promise<Reading | null> {
  const { block, balance } = asked;
  const loaded = await chain.loadBlock(block.number);
  if (loaded.header.hash !== block.hash) return null;
  const { walletAddress } = balance;
  const verdict = (await chain.agreeOnMoves(loaded, [walletAddress]))(walletAddress);
  switch (verdict.kind) {
    case "agreed": {
      const { header, matched } = readingOf(verdict.block, asked);
      return {
        header,
        matched: matched.map((one) => (isOnlyTraced(one) ? { ...one, proof: "agreed" } : one)),
      };
    }
    case "silent":
    case "disputed":
      return null;
    // Nobody else can be asked; or the others show what the balances do not, if it adds up.
    case "alone":
    case "other_amounts": {
      const again = await chain.loadBlock(block.number);
      const [first, second] = [readingOf(loaded, asked), readingOf(again, asked)];
      return again.header.hash === block.hash && isSame(first, second) ? second : null;
    }
  }
}

function readingOf(block: LoadedBlock, { chainName, balance, list }: Asked): Reading {
  const matched = matchMovements(chainName, block, list).filter(
    ({ walletId, assetId }) => walletId === balance.walletId && assetId === balance.assetId,
  );
  return { header: block.header, matched };
}

function isSame(one: Reading, other: Reading): boolean {
  const identities = ({ matched }: Reading) => matched.map(({ identity }) => identity).join();
  return identities(one) === identities(other);
}

/**
 * The movements that a reading may take back. Null: the reading does not add up to the balances, or
 * that is not shown.
 */
async function weigh(
  chain: RereadPorts["chain"],
  { balance }: Asked,
  { header, matched }: Reading,
): Promise<ReadAgain["takesBack"] | null> {
  const around = await readAround(chain, header, [balance]);
  if (around === null) return null;
  const [before, after] = around;
  if (before.disputed.length > 0 || after.disputed.length > 0) return null;
  const known = { beforeAtomic: before.amounts[0] ?? 0n, after: after.of[0] };
  if (findDifference(sumsOf(matched.map(signedOf)), known) !== null) return null;
  if (before.proof !== "answered" && after.proof !== "answered") return "all";
  return chain.isAlone() ? "unproven" : null;
}
