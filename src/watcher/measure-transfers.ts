import { isMeasured } from "../domain/money/asset.ts";
import { type BalanceQuestion, balanceKeyOf } from "../domain/money/balance.ts";
import {
  type DecidedByBalance,
  type MatchedBlock,
  type MatchedTransaction,
  walletOf,
} from "../domain/money/matched-transaction.ts";
import type { WatchedAsset, Watchlist } from "../domain/watch/watchlist.ts";
import { type ChangingChain, movementIn, readChanges, type ShownChange } from "./changes-across.ts";

export type MeasuredTransfers = {
  /** Returns a block's transactions with the measured amounts. */
  mark: (block: MatchedBlock) => MatchedTransaction[];
  /** The transfers of a block that brought nothing, and those that could not be measured. */
  decided: (block: MatchedBlock) => Pick<DecidedByBalance, "empty" | "unmeasured">;
  /** False: the list has changed since, and some transfer of the blocks was not measured. */
  covers: (list: MeasuringList, blocks: readonly MatchedBlock[]) => boolean;
};

type MeasuringList = Pick<Watchlist, "assets">;

/**
 * The treatment of a transfer that cannot be measured, because no balance is shown. `logged`: its
 * logged amount counts. `left_out`: it is no transaction.
 */
export type Unmeasured = "logged" | "left_out";

/**
 * A transfer as it was measured. `exact`: it moved what it logs. `empty`: nothing moved. `unshown`:
 * no balance is shown. `unbelieved`: no fee can explain the balances.
 */
type Measurement =
  | { kind: "measured"; moved: Pick<MatchedTransaction, "amountAtomic" | "proof"> }
  | { kind: "exact" | "empty" | "unshown" | "unbelieved" };

/**
 * Measures what transfers of a token with a fee really moved: the difference of the wallet's
 * balance across the block. It counts only if the block has no other transfer of that wallet and
 * token. Otherwise the logged amount counts, and the reconciler adjusts the rest
 * (docs/invariants.md#how-money-moves). `unmeasured` decides if the balances cannot be read, or if
 * only one of several hosts claims them. A fee can only make a deposit smaller, and a withdrawal
 * larger. So no answer of an endpoint makes a deposit larger than its log. A deposit of which
 * nothing arrived is no transaction.
 * @throws Fault `rpc_unavailable`
 */
export async function measureTransfers(
  chain: ChangingChain,
  of: { list: MeasuringList; blocks: readonly MatchedBlock[]; unmeasured: Unmeasured },
): Promise<MeasuredTransfers> {
  const { list, blocks, unmeasured } = of;
  const asked = measurableIn(list, blocks);
  const changes = await readChanges(chain, asked);
  const measured = new Map<string, Measurement>();
  for (const [place, { header, matched }] of asked.entries())
    for (const [index, one] of matched.entries())
      measured.set(movementIn(header, one), measure(one, changes[place]?.[index] ?? null));
  const identitiesOf = ({ header, matched }: MatchedBlock, kinds: Measurement["kind"][]) =>
    matched.flatMap((one) => {
      const kind = measured.get(movementIn(header, one))?.kind;
      return kind !== undefined && kinds.includes(kind) ? [one.identity] : [];
    });
  return {
    mark: ({ header, matched }) =>
      matched.flatMap((one) => {
        const measurement = measured.get(movementIn(header, one));
        switch (measurement?.kind) {
          case "measured":
            return { ...one, ...measurement.moved };
          case "empty":
            return [];
          case "unshown":
            return unmeasured === "logged" ? one : [];
          default:
            return one;
        }
      }),
    decided: (block) =>
      measured.size === 0
        ? { empty: [], unmeasured: [] }
        : {
            empty: identitiesOf(block, ["empty"]),
            unmeasured: identitiesOf(block, ["unshown", "unbelieved"]),
          },
    covers: (now, found) =>
      measurableIn(now, found).every(({ header, matched }) =>
        matched.every((one) => measured.has(movementIn(header, one))),
      ),
  };
}

/** The transfers of a block that are the only ones of their wallet and token. */
type Measurable = MatchedBlock & { asked: BalanceQuestion[] };

function measurableIn(list: MeasuringList, blocks: readonly MatchedBlock[]): Measurable[] {
  const assets = new Map<number, WatchedAsset>(
    [...list.assets.values()].filter(({ kind }) => isMeasured(kind)).map((one) => [one.id, one]),
  );
  return assets.size === 0 ? [] : blocks.flatMap((block) => aloneIn(block, assets));
}

function aloneIn(
  { header, matched }: MatchedBlock,
  assets: ReadonlyMap<number, WatchedAsset>,
): Measurable[] {
  const counts = new Map<string, number>();
  for (const one of matched)
    counts.set(balanceKeyOf(one), (counts.get(balanceKeyOf(one)) ?? 0) + 1);
  const alone = matched.flatMap((transaction) => {
    const asset = assets.get(transaction.assetId);
    return asset === undefined || counts.get(balanceKeyOf(transaction)) !== 1
      ? []
      : [{ transaction, assetAddress: asset.address }];
  });
  if (alone.length === 0) return [];
  const asked = alone.map(({ transaction, assetAddress }) => ({
    walletAddress: walletOf(transaction),
    assetAddress,
  }));
  return [{ header, matched: alone.map(({ transaction }) => transaction), asked }];
}

function measure(one: MatchedTransaction, change: ShownChange): Measurement {
  if (change === null) return { kind: "unshown" };
  if (!isBelievable(one, change.changeAtomic)) return { kind: "unbelieved" };
  const { changeAtomic, proof } = change;
  const amountAtomic = changeAtomic > 0n ? changeAtomic : -changeAtomic;
  if (amountAtomic === 0n) return { kind: "empty" };
  if (amountAtomic === one.amountAtomic) return { kind: "exact" };
  return {
    kind: "measured",
    moved: { amountAtomic, proof: proof === "state" ? one.proof : proof },
  };
}

/** True if a fee can explain the change. `change` is signed, in atomic units. */
function isBelievable({ direction, amountAtomic }: MatchedTransaction, change: bigint): boolean {
  return direction === "in" ? change >= 0n && change <= amountAtomic : -change >= amountAtomic;
}
