import { Prisma } from "../generated/client.ts";
import type { Database } from "../postgres/database.ts";
import { ask, type Question } from "../postgres/shared-statement.ts";

/** Work of no chain that waits for any process. True: some may be there. */
export type WaitingWork = {
  /** Audit entries without their places in the chain. */
  audit: boolean;
  /** Deliveries of replaced webhooks, or of recoveries, that are to be queued again. */
  deliveries: boolean;
};

const waitingWork: Question = {
  name: "waiting work",
  isPrepared: true,
  answer: () => Prisma.sql`
    SELECT jsonb_build_object(
      'audit', EXISTS (SELECT FROM audit_waiting WHERE refused_at IS NULL),
      'deliveries', EXISTS (SELECT FROM webhook WHERE leaves_waiting)
        OR EXISTS (SELECT FROM recovery WHERE ended_at IS NULL))`,
};

/** Says whether such work waits. One question. */
export async function readWaitingWork(db: Database): Promise<WaitingWork> {
  const work = (await ask(db, waitingWork)) as WaitingWork | null;
  return work ?? { audit: true, deliveries: true };
}
