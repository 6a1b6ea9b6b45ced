import type { BlockHeader, Position } from "../domain/chain/block.ts";
import type { BalanceKey, BalanceQuestion } from "../domain/money/balance.ts";
import { type BalanceChange, signedOf, sumsOf } from "../domain/money/balance-change.ts";
import { isOnlyTraced } from "../domain/money/matched-transaction.ts";
import { type LoadedBlock, nativeAddress } from "../domain/money/movement.ts";
import type { ChainSource } from "../domain/watch/chain-source.ts";
import type { ReadAgain } from "../domain/watch/commit.ts";
import type { CorrectingLedger } from "../domain/watch/watcher-ledger.ts";
import type { Watchlist } from "../domain/watch/watchlist.ts";
import type { Logger } from "../runtime/logger.ts";
import { findDifference, readAround } from "./balances-after.ts";
import { chooseReading, type Readings } from "./choose-reading.ts";
import { orNone } from "./gate/ask-again.ts";
import { isProved } from "./gate/shown.ts";
import { matchMovements } from "./match-movements.ts";

export type RereadPorts = {
  chain: Pick<
    ChainSource,
    "loadBlock" | "balancesAt" | "coinSteps" | "agreeOnMoves" | "isAlone" | "showsInternalMoves"
  >;
  ledger: Pick<CorrectingLedger, "replaceRead">;
  log: Logger;
};

/** The ledger's movements of one balance in a block. */
type WrittenSums = Pick<BalanceChange, "sumAtomic" | "stepsAtomic"> & {
  /** True if they wait for a proof. */
  areUnproven: boolean;
};

type Asked = {
  chainName: string;
  block: Position;
  balance: BalanceKey & BalanceQuestion;
  written: WrittenSums;
  list: Watchlist;
};

/**
 * Reads a block once more for one balance whose movements in it are in doubt. The reading that adds
 * up to the balance's change replaces the stored movements (see chooseReading). Movements that an
 * endpoint invented are dropped or reversed. Movements that it had hidden are written. The state
 * root or more than one endpoint must prove that change. Balances from the chain's only host decide
 * only about movements that wait for a proof. They remove nothing that was shown before. Nothing is
 * replaced if no endpoint gives the block any more. Safe to repeat.
 * @returns whether it was replaced
 */
export async function reread(ports: RereadPorts, asked: Asked): Promise<boolean> {
  const { chainName, block, balance } = asked;
  const loaded = await orNone(ports.chain.loadBlock(block.number));
  if (loaded === null) return false;
  const { header } = loaded;
  if (header.hash !== block.hash) return false;
  const shown = await readShown(ports.chain, header, balance);
  if (shown === null) return false;
  const { takesBack, known } = shown;
  const isTraced = await ports.chain.showsInternalMoves(header.hash);
  const addsUp = (sums: Omit<WrittenSums, "areUnproven">) => findDifference(sums, known) === null;
  const matched = chooseReading(await readingsOf(ports.chain, asked, loaded), {
    mayRefute: takesBack === "all" && !asked.written.areUnproven,
    mayBeMore: !isTraced && isOfCoin(balance) && loaded.evidence.others !== "answered",
    isWrittenShown: addsUp(asked.written),
    isShown: (reading) => addsUp(sumsOf(reading.map(signedOf))),
  });
  if (matched === null) return false;
  const { walletId, assetId } = balance;
  const read = { chainName, walletId, assetId, header, matched, takesBack };
  const outcome = await ports.ledger.replaceRead(read);
  if (outcome.kind !== "replaced") return false;
  const fields = { chain: chainName, walletId, block: block.number, hash: block.hash, ...outcome };
  ports.log.warn(fields, "transactions.corrected");
  return true;
}

/** The readings of the balance in that block. */
async function readingsOf(
  chain: Pick<RereadPorts["chain"], "loadBlock" | "agreeOnMoves">,
  asked: Asked,
  loaded: LoadedBlock,
): Promise<Readings> {
  const { walletAddress } = asked.balance;
  const first = readingOf(loaded, asked);
  const verdict = (await chain.agreeOnMoves(loaded, [walletAddress]))(walletAddress);
  switch (verdict.kind) {
    case "agreed":
      return {
        kind: "agreed",
        first: readingOf(verdict.block, asked).map((one) =>
          isOnlyTraced(one) ? { ...one, proof: "agreed" } : one,
        ),
      };
    case "other_amounts": {
      const others = verdict.others.map((one) => readingOf(one, asked));
      return { kind: "several", first, others };
    }
    case "silent":
    case "refused":
    case "disputed":
      return { kind: "open", first };
    // There is no other host, so the same one is read twice.
    case "alone": {
      const again = await orNone(chain.loadBlock(loaded.header.number));
      if (again?.header.hash !== loaded.header.hash) return { kind: "open", first };
      return { kind: "alone", first, others: [readingOf(again, asked)] };
    }
  }
}

const isOfCoin = ({ assetAddress }: BalanceQuestion) => assetAddress === nativeAddress;

function readingOf(block: LoadedBlock, { chainName, balance, list }: Asked): ReadAgain["matched"] {
  return matchMovements(chainName, block, list).filter(
    ({ walletId, assetId }) => walletId === balance.walletId && assetId === balance.assetId,
  );
}

/**
 * The balance before and after a block, and which movements it may remove. Null: the balance is not
 * shown.
 */
async function readShown(
  chain: RereadPorts["chain"],
  header: BlockHeader,
  balance: BalanceQuestion,
): Promise<{
  known: Parameters<typeof findDifference>[1];
  takesBack: ReadAgain["takesBack"];
} | null> {
  const around = await readAround(chain, header, [balance]);
  if (around === null) return null;
  const [before, after] = around;
  if (before.disputed.length > 0 || after.disputed.length > 0) return null;
  if (before.reverted.length > 0 || after.reverted.length > 0) return null;
  const known = { beforeAtomic: before.amounts[0] ?? 0n, after: after.of[0] };
  if (isProved(before, 0) && isProved(after, 0)) return { known, takesBack: "all" };
  return chain.isAlone() ? { known, takesBack: "unproven" } : null;
}
