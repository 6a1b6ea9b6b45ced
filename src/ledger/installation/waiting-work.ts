import type { Database } from "../postgres/database.ts";
import { prepared } from "../postgres/statement.ts";
import { statementsOf } from "../postgres/statements.ts";

/** Work of no chain that waits for any process. True: some may be there. */
export type WaitingWork = {
  /** Audit entries without their places in the chain. */
  audit: boolean;
  /** Deliveries of replaced webhooks, or of recoveries, that are to be queued again. */
  deliveries: boolean;
};

/** Says whether such work waits. One statement. */
export async function readWaitingWork(db: Database): Promise<WaitingWork> {
  const [row] = await statementsOf(db).$queryRaw<WaitingWork[]>`
    ${prepared} SELECT EXISTS (SELECT FROM audit_waiting WHERE refused_at IS NULL) AS audit,
      EXISTS (SELECT FROM webhook WHERE leaves_waiting)
        OR EXISTS (SELECT FROM recovery WHERE ended_at IS NULL) AS deliveries`;
  return row ?? { audit: true, deliveries: true };
}
