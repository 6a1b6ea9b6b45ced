import type { Database } from "../postgres/database.ts";
import { modelsOf } from "../postgres/models.ts";
import { reaching } from "../postgres/reaching.ts";

/** Of the list, at most: those that have failed longest. */
const maxRows = 50;

/**
 * The troubles of webhooks: the number of deactivated ones, and the failing ones with the start of
 * their failure.
 */
export type WebhookTrouble = {
  deactivated: number;
  failing: { webhookId: string; since: Date }[];
};

/** Of the webhooks that are registered now; one that is deactivated is counted and not named. */
export async function readWebhookTrouble(db: Database): Promise<WebhookTrouble> {
  return reaching(async () => {
    const deactivated = await modelsOf(db).webhook.count({
      where: { deletedAt: null, isActive: false },
    });
    const rows = await modelsOf(db).webhook.findMany({
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
