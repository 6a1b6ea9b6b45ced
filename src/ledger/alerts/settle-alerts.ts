import { isAlertKind } from "../../domain/alerts/alert-kinds.ts";
import type { AlertLedger, AlertStart } from "../../domain/alerts/alert-ledger.ts";
import type { AlertState } from "../../domain/alerts/decide.ts";
import { messageOf } from "../../domain/alerts/message.ts";
import { idAt } from "../../domain/id.ts";
import type { Prisma } from "../generated/client.ts";
import type { Database } from "../postgres/database.ts";
import { modelsOf } from "../postgres/models.ts";
import { inTransaction, type Tx } from "../postgres/transaction.ts";

/**
 * A message is given up after a day: a condition that lasts has caused a newer alert by then. A
 * sent message is kept for a week, for `doctor`.
 */
const givenUpAfter = "1 day";
const keptFor = "7 days";

/**
 * See AlertLedger. Leaves rows unchanged whose kind this version does not know. A newer version
 * that runs beside it wrote them.
 */
export async function settleAlerts(
  db: Database,
  lease: { name: string; holder: string },
  installation: string,
  [channels, decide]: Parameters<AlertLedger["settle"]>,
): ReturnType<AlertLedger["settle"]> {
  return inTransaction(db, async (tx) => {
    // Locks the lease's row. A process that wants to take the lease over waits for this
    // transaction.
    const [mine] = await tx.$queryRaw<{ now: Date }[]>`
      SELECT now() FROM lease WHERE name = ${lease.name} AND holder = ${lease.holder}::uuid FOR UPDATE`;
    if (mine === undefined) return { message: null, givenUp: 0 };
    const nowMs = mine.now.getTime();
    const before = await readStates(tx);
    const { states, news } = decide(before, nowMs);
    await writeStates(tx, before, states, mine.now);
    const givenUp = await prune(tx);
    if (news.length === 0) return { message: null, givenUp };
    const message = messageOf(news, { id: idAt(nowMs), installation, atMs: nowMs });
    const { id } = message;
    await tx.alertMessage.createMany({
      data: channels.map((channel) => ({ id, channel, message: toJson(message) })),
    });
    return { message, givenUp };
  });
}

function toJson(message: object): Prisma.InputJsonObject {
  return { ...message };
}

/** The stored conditions that have not ended, and since when each holds. */
export async function readAlertStarts(db: Database): Promise<AlertStart[]> {
  const rows = await modelsOf(db).alert.findMany({ where: { goneSince: null } });
  return rows.flatMap(({ kind, subject, since }) =>
    isAlertKind(kind) ? [{ kind, subject, sinceMs: since.getTime() }] : [],
  );
}

async function readStates(tx: Tx): Promise<AlertState[]> {
  const rows = await tx.alert.findMany();
  return rows.flatMap(
    ({ kind, subject, summary, since, seenAt, notifiedAt, goneSince }): AlertState[] => {
      if (!isAlertKind(kind)) return [];
      const condition = { kind, subject, summary, sinceMs: since.getTime() };
      if (notifiedAt === null)
        return [{ ...condition, stage: "waiting", seenMs: seenAt.getTime() }];
      const [notifiedMs, goneMs] = [notifiedAt.getTime(), goneSince?.getTime() ?? null];
      return [{ ...condition, stage: "open", notifiedMs, goneMs }];
    },
  );
}

async function writeStates(
  tx: Tx,
  before: readonly AlertState[],
  states: readonly AlertState[],
  seenAt: Date,
): Promise<void> {
  const rows = states.map((state) => ({
    kind: state.kind,
    subject: state.subject,
    summary: state.summary,

    since: new Date(state.sinceMs),
    seenAt,
    notifiedAt: state.stage === "open" ? new Date(state.notifiedMs) : null,
    goneSince: state.stage === "open" && state.goneMs !== null ? new Date(state.goneMs) : null,
  }));
  const known = before.map(({ kind, subject }) => ({ kind, subject }));
  if (known.length > 0) await tx.alert.deleteMany({ where: { OR: known } });
  if (rows.length > 0) await tx.alert.createMany({ data: rows });
}

/** Deletes old messages. Answers how many unsent ones were given up. */
async function prune(tx: Tx): Promise<number> {
  await tx.$executeRaw`
    DELETE FROM alert_message WHERE sent_at IS NOT NULL AND created_at < now() - ${keptFor}::interval`;
  return tx.$executeRaw`
    DELETE FROM alert_message WHERE sent_at IS NULL AND created_at < now() - ${givenUpAfter}::interval`;
}
