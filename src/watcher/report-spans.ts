import type { Position } from "../domain/chain/block.ts";
import { type Period, rootSpanId, type SpanName, type Spans, spanId } from "../domain/spans.ts";
import type { WrittenIds } from "../domain/watch/commit.ts";
import type { Clock } from "../runtime/clock.ts";

/**
 * Starts a measurement. Call the returned function at the end of the work: it returns the period.
 */
export function measure(clock: Pick<Clock, "now" | "elapsed">): () => Period {
  const startMs = clock.now();
  const sinceMs = clock.elapsed();
  return () => ({ startMs, endMs: startMs + clock.elapsed() - sinceMs });
}

/** The way of one commit's transactions into the ledger. */
type Committed = {
  chainName: string;
  /** The last of the commit's blocks. */
  tip: Position;
  /** The number of blocks that the commit wrote. */
  blocks: number;
  /**
   * `read`: of the last block. `prove`: of all blocks. `commit`: the transaction that wrote them.
   */
  read: Period;
  prove: Period;
  commit: Period;
  ids: WrittenIds;
};

/**
 * Reports how each transaction that a commit recorded came into the ledger, as the beginning of its
 * own trace. Also reports each transaction that the commit confirmed. A commit without either
 * reports nothing.
 */
export function reportCommit(spans: Spans, committed: Committed): void {
  const { chainName, tip, blocks, read, prove, commit, ids } = committed;
  const attributes = attributesOf(chainName, tip);
  const whole = { startMs: read.startMs, endMs: commit.endMs };
  for (const subjectId of ids.recorded.filter(spans.areKept)) {
    const id = rootSpanId(subjectId);
    const shared = { subjectId, attributes, failure: null };
    const counts = {
      "chainbell.blocks": blocks,
      "chainbell.recorded": ids.recorded.length,
      "chainbell.transaction.id": subjectId,
    };
    spans.report({
      ...shared,
      ...whole,
      name: "chain.block",
      id,
      parentId: null,
      attributes: { ...attributes, ...counts },
    });
    const part = (name: SpanName, period: Period) =>
      spans.report({ ...shared, ...period, name, id: spanId(name, subjectId), parentId: id });
    part("block.read", read);
    part("block.prove", prove);
    part("block.commit", commit);
  }
  reportConfirmed(spans, { chainName, tip, commit, confirmedIds: ids.confirmed });
}

/**
 * Reports the confirmation of each transaction, with the block that its chain was at. Null: the
 * transaction waited only for its proof.
 */
export function reportConfirmed(
  spans: Spans,
  confirmed: Pick<Committed, "chainName" | "commit"> & {
    tip: Position | null;
    confirmedIds: readonly string[];
  },
): void {
  const { chainName, tip, commit, confirmedIds } = confirmed;
  const attributes = tip === null ? { "chainbell.chain": chainName } : attributesOf(chainName, tip);
  for (const subjectId of confirmedIds.filter(spans.areKept))
    spans.report({
      ...commit,
      subjectId,
      attributes,
      name: "block.confirm",
      failure: null,
      id: spanId("block.confirm", subjectId, tip?.hash ?? "proved"),
      parentId: rootSpanId(subjectId),
    });
}

function attributesOf(chainName: string, { number, hash }: Position) {
  return {
    "chainbell.chain": chainName,
    "chainbell.block.number": Number(number),
    "chainbell.block.hash": hash,
  };
}
