import { faultIn } from "../../src/domain/fault.ts";
import { bind } from "../../src/ledger/postgres/bind.ts";
import {
  changeWebhook,
  deleteWebhook,
  recoverDeliveries,
  redeliver,
  registerWebhook,
  resumeBusiness,
  rotateSecret,
  suspendBusiness,
} from "../support/ledger/steps.ts";
import { faultyLedger, type World } from "./world.ts";

/** What businesses do with their webhooks meanwhile: replace, pause, end and recover them. */
export function createBusinesses(world: World, businessIds: readonly string[]) {
  const random = world.random("businesses");
  const life = world.scheduler.begin("business");
  const view = bind(world.db, {
    registerWebhook,
    changeWebhook,
    rotateSecret,
    deleteWebhook,
    recoverDeliveries,
    redeliver,
    suspend: suspendBusiness,
    resume: resumeBusiness,
  });
  const ledger = faultyLedger(world, life, view);
  let urls = 0;

  function attempt(what: string, work: Promise<unknown>): void {
    work.catch((error: unknown) => world.judge(`business ${what}`, error));
  }

  async function current(businessId: string): Promise<{ id: string; isActive: boolean } | null> {
    const [row] = await world.sql<{ id: string; isActive: boolean }>(
      `SELECT id, is_active AS "isActive" FROM webhook WHERE business_id = $1 AND deleted_at IS NULL`,
      [businessId],
    );
    return row ?? null;
  }

  function register(businessId: string, url: string) {
    return { businessId, url, secretCiphertext: `secret of ${url}` };
  }

  function newUrl(): string {
    urls += 1;
    return `https://receiver-${urls}.example/`;
  }

  async function changeOne(): Promise<void> {
    const businessId = random.pick(businessIds);
    const webhook = await current(businessId);
    const what = random.weighted({
      replace: 4,
      pause: 2,
      resume: 3,
      move: 2,
      rotate: 2,
      end: 1,
      recover: 2,
      suspend: 1,
      unsuspend: 2,
      redeliver: 3,
    });
    if (what === "replace" || webhook === null) {
      return attempt(what, ledger.registerWebhook(register(businessId, newUrl())));
    }
    const name = { businessId, webhookId: webhook.id };
    const since = new Date(0);
    switch (what) {
      case "pause":
        return attempt(what, ledger.changeWebhook(name, { isActive: false }));
      case "resume":
        return attempt(what, ledger.changeWebhook(name, { isActive: true }));
      case "move":
        return attempt(what, ledger.changeWebhook(name, { url: newUrl() }));
      case "rotate": {
        const secretCiphertext = `another secret of ${webhook.id}`;
        const ed25519 = { ciphertext: `another pair of ${webhook.id}`, publicKey: "whpk_" };
        const rotation = { secretCiphertext, ed25519, overlapMs: 60_000 };
        return attempt(what, ledger.rotateSecret(name, rotation));
      }
      case "end":
        return attempt(what, ledger.deleteWebhook(name));
      case "recover":
        return attempt(what, ledger.recoverDeliveries(name, { since, until: null }));
      case "suspend":
        return attempt(what, ledger.suspend(businessId));
      case "unsuspend":
        return attempt(what, ledger.resume(businessId));
      case "redeliver":
        return redeliverOne(businessId);
    }
  }

  async function registerAnew(businessId: string): Promise<string | null> {
    try {
      return (await view.registerWebhook(register(businessId, newUrl()))).webhook.id;
    } catch (error) {
      if (faultIn(error)?.code === "rate_limited") return null;
      throw error;
    }
  }

  async function redeliverOne(businessId: string): Promise<void> {
    const rows = await world.sql<{ id: string }>(
      "SELECT id FROM notification WHERE business_id = $1 ORDER BY created_at, id",
      [businessId],
    );
    if (rows.length === 0) return;
    const notificationId = random.pick(rows).id;
    attempt("redeliver", ledger.redeliver({ businessId, notificationId }));
  }

  return {
    changeOne,

    async setUp(): Promise<void> {
      for (const businessId of businessIds) {
        if (random.chance(0.8)) await view.registerWebhook(register(businessId, newUrl()));
      }
    },

    /**
     * Everyone has an active webhook, and asks for what was missed. False: not yet, one has
     * replaced its own too often.
     */
    async heal(): Promise<boolean> {
      for (const businessId of businessIds) {
        await view.resume(businessId);
        const webhookId = (await current(businessId))?.id ?? (await registerAnew(businessId));
        if (webhookId === null) return false;
        await view.changeWebhook({ businessId, webhookId }, { isActive: true });
        const since = new Date(0);
        await view.recoverDeliveries({ businessId, webhookId }, { since, until: null });
      }
      return true;
    },
  };
}
