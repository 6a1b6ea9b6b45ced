import type { TroubledWebhook, WebhookTrouble } from "../../domain/alerts/conditions.ts";
import type { Database } from "../postgres/database.ts";
import { modelsOf } from "../postgres/models.ts";
import { reaching } from "../postgres/reaching.ts";

/** At most this many rows of each list: those in trouble for longest. */
const maxRows = 50;

/** Reads the current webhooks that are in trouble. A deactivated one is not listed as failing. */
export async function readWebhookTrouble(db: Database): Promise<WebhookTrouble> {
  return reaching(async () => {
    const off = { deletedAt: null, isActive: false };
    const deactivated = await modelsOf(db).webhook.count({ where: off });
    const inactive = await modelsOf(db).webhook.findMany({
      where: off,
      orderBy: [{ disabledAt: { sort: "asc", nulls: "last" } }, { id: "asc" }],
      take: maxRows,
      select: { ...shown, disabledAt: true },
    });
    const failing = await modelsOf(db).webhook.findMany({
      where: { deletedAt: null, isActive: true, failingSince: { not: null } },
      orderBy: [{ failingSince: "asc" }, { id: "asc" }],
      take: maxRows,
      select: { ...shown, failingSince: true },
    });
    return {
      deactivated,
      inactive: inactive.map((row) => ({ ...toWebhook(row), since: row.disabledAt })),
      failing: failing.flatMap((row) =>
        row.failingSince === null ? [] : [{ ...toWebhook(row), since: row.failingSince }],
      ),
    };
  });
}

const shown = { id: true, url: true, businessId: true, business: { select: { name: true } } };

type Row = { id: string; url: string; businessId: string; business: { name: string } };

function toWebhook({ id, url, businessId, business }: Row): Omit<TroubledWebhook, "since"> {
  return { webhookId: id, url, businessId, businessName: business.name };
}
