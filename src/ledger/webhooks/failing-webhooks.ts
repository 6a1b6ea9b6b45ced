import { type Database, reaching } from "../postgres/database.ts";

/** Of the list, at most: those that have failed longest. */
const maxRows = 50;

/** What is the matter with webhooks: how many are deactivated, and which have failed ever since when. */
export type WebhookTrouble = {
  deactivated: number;
  failing: { webhookId: string; since: Date }[];
};

/** Of the webhooks that are registered now; one that is deactivated is counted and not named. */
export async function readWebhookTrouble(db: Database): Promise<WebhookTrouble> {
  return reaching(async () => {
    const deactivated = await db.webhook.count({ where: { deletedAt: null, isActive: false } });
    const rows = await db.webhook.findMany({
      where: { deletedAt: null, isActive: true, failingSince: { not: null } },
      orderBy: [{ failingSince: "asc" }, { id: "asc" }],
      take: maxRows,
      select: { id: true, failingSince: true },
    });
    const failing = rows.flatMap(({ id, failingSince }) =>
      failingSince === null ? [] : [{ webhookId: id, since: failingSince }],
    );
    return { deactivated, failing };
  });
}
