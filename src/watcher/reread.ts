import type { BlockHeader, Position } from "../domain/chain/block.ts";
import { faultIn } from "../domain/fault.ts";
import type { BalanceKey, BalanceQuestion } from "../domain/money/balance.ts";
import type { MatchedTransaction } from "../domain/money/matched-transaction.ts";
import type { ChainSource } from "../domain/watch/chain-source.ts";
import type { CorrectingLedger } from "../domain/watch/watcher-ledger.ts";
import type { Watchlist } from "../domain/watch/watchlist.ts";
import type { Logger } from "../runtime/logger.ts";
import { matchMovements } from "./match-movements.ts";

export type RereadPorts = {
  chain: Pick<ChainSource, "loadBlock" | "balancesAt">;
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
 * Reads a block once more for one balance whose movements in it are in doubt, and puts what it holds in the place of what
 * is written: what an endpoint had invented is dropped or reversed, what it had hidden is written. Only where two
 * readings are the same, are of the very block, and add up to the balance's change as more than one endpoint says or the
 * state root shows. Safe to repeat.
 * @returns whether it was replaced
 */
export async function reread(ports: RereadPorts, asked: Asked): Promise<boolean> {
  const { chainName, block, balance } = asked;
  const first = await readOnce(ports, asked);
  const second = first === null ? null : await readOnce(ports, asked);
  if (first === null || second === null || !isSame(first, second)) return false;
  if (!(await addsUp(ports.chain, asked, second))) return false;
  const { walletId, assetId } = balance;
  const outcome = await ports.ledger.replaceRead({ chainName, walletId, assetId, ...second });
  if (outcome.kind === "moved") return false;
  const fields = { chain: chainName, walletId, block: block.number, ...outcome };
  ports.log.warn(fields, "transactions.corrected");
  return true;
}

/** Null: another block is at that height now. */
async function readOnce({ chain }: RereadPorts, asked: Asked): Promise<Reading | null> {
  const { chainName, block, balance, list } = asked;
  const loaded = await chain.loadBlock(block.number);
  if (loaded.header.hash !== block.hash) return null;
  const matched = matchMovements(chainName, loaded, list).filter(
    ({ walletId, assetId }) => walletId === balance.walletId && assetId === balance.assetId,
  );
  return { header: loaded.header, matched };
}

function isSame(one: Reading, other: Reading): boolean {
  const identities = ({ matched }: Reading) => matched.map(({ identity }) => identity).join();
  return identities(one) === identities(other);
}

async function addsUp(
  chain: RereadPorts["chain"],
  { balance }: Asked,
  { header, matched }: Reading,
): Promise<boolean> {
  const sum = matched.reduce(
    (total, one) => total + (one.direction === "in" ? one.amountAtomic : -one.amountAtomic),
    0n,
  );
  try {
    const [before, after] = await Promise.all([
      chain.balancesAt(header.parentHash, [balance]),
      chain.balancesAt(header.hash, [balance]),
    ]);
    const isShown = before.proof !== "answered" && after.proof !== "answered";
    const [was = 0n, is = 0n] = [before.amounts[0], after.amounts[0]];
    return isShown && was + sum === is;
  } catch (error) {
    if (faultIn(error)?.code === "state_unavailable") return false;
    throw error;
  }
}
