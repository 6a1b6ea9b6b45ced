import { Prisma } from "../generated/client.ts";
import type { Database } from "../postgres/database.ts";
import { ask, type Question } from "../postgres/shared-statement.ts";

/** Waiting work that belongs to no chain, and that any process may do. True: some may be there. */
export type WaitingWork = {
  /** Entries of the audit trail without a place in the chain. */
  audit: boolean;
  /** Deliveries of webhooks that were replaced, deleted or changed in order, or of a recovery. */
  deliveries: boolean;
};

const waitingWork: Question = {
  name: "waiting work",
  isPrepared: true,
  answer: () => Prisma.sql`
    SELECT jsonb_build_object(
      'audit', EXISTS (SELECT FROM audit_waiting WHERE refused_at IS NULL),
      'deliveries', EXISTS (SELECT FROM webhook WHERE leaves_waiting)
        OR EXISTS (SELECT FROM webhook WHERE arranges_lines AND deleted_at IS NULL)
        OR EXISTS (SELECT FROM recovery WHERE ended_at IS NULL))`,
};

/** Reads whether such work waits, in one query. */
export async function readWaitingWork(db: Database): Promise<WaitingWork> {
  const work = (await ask(db, waitingWork)) as WaitingWork | null;
  return work ?? { audit: true, deliveries: true };
}
