import { faultIn } from "../../../src/domain/fault.ts";
import { writePrices } from "../../../src/ledger/balances/prices.ts";
import { bind } from "../../../src/ledger/postgres/bind.ts";
import type { Filter } from "../../support/delivery/judge-filter.ts";
import {
  addWebhook,
  changeWebhook,
  deleteWebhook,
  recoverDeliveries,
  redeliver,
  registerWebhook,
  resumeBusiness,
  suspendBusiness,
} from "../../support/ledger/steps.ts";
import type { Random } from "../random.ts";
import { chainName, faultyLedger, type World } from "../world.ts";
import { drawFilter } from "./draw-filter.ts";
import type { Way, Ways } from "./ways.ts";

const most = 16;

/** The ledger's steps about webhooks, each with a note for the oracle of what it has changed. */
function noting(world: World, ways: Ways) {
  const view = bind(world.db, {
    registerWebhook,
    addWebhook,
    changeWebhook,
    deleteWebhook,
    recoverDeliveries,
    redeliver,
    suspend: suspendBusiness,
    resume: resumeBusiness,
  });
  const asks = (way: Way, asked: Asked) => {
    const { filter, isOrdered = way.isOrdered, holdsExhausted = way.holds } = asked;
    if (filter !== undefined) way.filter = filter;
    if (!isOrdered || !holdsExhausted) way.held.clear();
    Object.assign(way, { isOrdered, holds: holdsExhausted });
    ways.changed(way);
  };
  return {
    async register(businessId: string, url: string, asked: Asked) {
      const secretCiphertext = `secret of ${url}`;
      const input = { businessId, url, secretCiphertext, ...asked };
      const { outcome, webhook } = await view.registerWebhook(input);
      const way = ways.wayOf(businessId, businessId);
      // Another URL begins with the filter that is given, or without one, and keeps the order where
      // there is a webhook in whose place it comes. What was given up waits again there.
      if (outcome === "created") {
        way.filter = null;
        if (way.webhookId === null) Object.assign(way, { isOrdered: false, holds: false });
        way.held.clear();
      }
      ways.stands(way, { webhookId: webhook.id, url });
      asks(way, asked);
      return webhook.id;
    },

    async add(businessId: string, url: string, asked: Asked) {
      const secretCiphertext = `secret of ${url}`;
      const input = { businessId, url, secretCiphertext, most, ...asked };
      const { webhook } = await view.addWebhook(input);
      const way = ways.wayOf(webhook.id, businessId);
      ways.stands(way, { webhookId: webhook.id, url });
      asks(way, asked);
    },

    async change(way: Way, change: Asked & { url?: string; isActive?: boolean }) {
      const { businessId, webhookId } = way;
      if (webhookId === null) return;
      await view.changeWebhook({ businessId, webhookId }, change);
      if (change.url !== undefined) ways.stands(way, { webhookId, url: change.url });
      asks(way, change);
    },

    async end(way: Way) {
      const { businessId, webhookId } = way;
      if (webhookId === null) return;
      await view.deleteWebhook({ businessId, webhookId });
      // All that is written until the next first webhook stands is held for that one.
      Object.assign(way, { webhookId: null, filter: null, isOrdered: false, holds: false });
      way.held.clear();
      ways.changed(way);
    },

    async recover(way: Way) {
      const { businessId, webhookId } = way;
      if (webhookId === null) return;
      const since = new Date(0);
      await view.recoverDeliveries({ businessId, webhookId }, { since, until: null });
      way.held.clear();
      ways.changed(way);
    },

    async redeliver(way: Way, notificationId: string) {
      const { businessId, webhookId } = way;
      if (webhookId === null) return;
      await view.redeliver({ businessId, notificationId, webhookId });
      way.asked.add(notificationId);
      ways.changed(way);
    },

    async price(code: string, usd: string) {
      const asOfMs = world.scheduler.now();
      const price = { chainName, assetCode: code, usd, asOfMs, source: "fixed" as const };
      await writePrices(world.db, [{ ...price, freshUntilMs: null, proof: null, anchor: null }]);
      ways.prices.set(code, usd);
    },

    suspend: view.suspend,
    resume: view.resume,
  };
}

type Asked = { filter?: Filter | null; isOrdered?: boolean; holdsExhausted?: boolean };

/** What one whole unit may be worth, so that what moves is worth some dollars. */
const worths: Record<string, readonly string[]> = {
  COIN: ["1000000000000000", "2000000000000000.5"],
  T0: ["1000", "0.5"],
  T1: ["999.999"],
};

/** What businesses with many webhooks do with them: add, filter, order, pause and end them. */
export function createWebhooks(world: World, ways: Ways, businessIds: readonly string[]) {
  const random = world.random("webhooks");
  const life = world.scheduler.begin("business");
  const view = noting(world, ways);
  const ledger = faultyLedger(world, life, view);
  let urls = 0;

  function attempt(what: string, work: Promise<unknown>): void {
    work.catch((error: unknown) => {
      // A filter that can match nothing is refused.
      const isRefused = faultIn(error)?.code === "invalid_request" && what.includes("filter");
      if (!isRefused && faultIn(error)?.code !== "limit_reached")
        world.judge(`business ${what}`, error);
    });
  }

  function newUrl(): string {
    urls += 1;
    return `https://receiver-${urls}.example/`;
  }

  async function drawAsked(businessId: string): Promise<Asked> {
    return {
      filter: await drawOwnFilter(world, random, businessId),
      isOrdered: random.chance(0.5),
      holdsExhausted: random.chance(0.5),
    };
  }

  const standing = (businessId: string) =>
    [...ways.ways.values()].filter(
      (way) => way.businessId === businessId && way.webhookId !== null,
    );

  async function changeOne(): Promise<void> {
    const businessId = random.pick(businessIds);
    const what = random.weighted(weights);
    if (what === "register")
      return attempt(
        "registers with a filter",
        ledger.register(
          businessId,
          newUrl(),
          random.chance(0.5) ? await drawAsked(businessId) : {},
        ),
      );
    if (what === "add")
      return attempt(
        "adds with a filter",
        ledger.add(businessId, newUrl(), await drawAsked(businessId)),
      );
    if (what === "suspend" || what === "resume") return attempt(what, ledger[what](businessId));
    if (what === "price") {
      const code = random.pick(Object.keys(worths));
      return attempt(what, ledger.price(code, random.pick(worths[code] ?? [])));
    }
    const all = standing(businessId);
    if (all.length > 0) await changeWay(random.pick(all), what);
  }

  async function changeWay(way: Way, what: ChangeOfWay): Promise<void> {
    switch (what) {
      case "filter": {
        const filter = await drawOwnFilter(world, random, way.businessId);
        return attempt("filter", ledger.change(way, { filter }));
      }
      case "order":
        return attempt(what, ledger.change(way, { isOrdered: random.chance(0.7) }));
      case "hold":
        return attempt(what, ledger.change(way, { holdsExhausted: random.chance(0.5) }));
      case "pause":
        return attempt(what, ledger.change(way, { isActive: false }));
      case "activate":
        return attempt(what, ledger.change(way, { isActive: true }));
      case "move":
        return attempt(what, ledger.change(way, { url: newUrl() }));
      case "end":
        return attempt(what, ledger.end(way));
      case "recover":
        return attempt(what, ledger.recover(way));
      case "redeliver": {
        const own = ways.written().filter(({ businessId }) => businessId === way.businessId);
        if (own.length > 0) attempt(what, ledger.redeliver(way, random.pick(own).id));
      }
    }
  }

  return {
    changeOne,

    async setUp(): Promise<void> {
      await view.price("COIN", random.pick(worths["COIN"] ?? []));
      await view.price("T0", random.pick(worths["T0"] ?? []));
      for (const businessId of businessIds) {
        ways.wayOf(businessId, businessId);
        if (random.chance(0.8)) await view.register(businessId, newUrl(), {});
        const count = world.cast.streams?.webhooks ?? 0;
        for (let added = 1; added < count; added += 1) {
          const adding = view.add(businessId, newUrl(), await drawAsked(businessId));
          await adding.catch(refusedOnly);
        }
      }
    },

    /** As in createBusinesses: everyone has a first webhook, all are active, and all ask again. */
    async heal(): Promise<boolean> {
      for (const businessId of businessIds) {
        await view.resume(businessId);
        const first = ways.wayOf(businessId, businessId);
        if (first.webhookId === null) {
          // It may have as many others as there can be.
          const [other] = standing(businessId).slice(most - 1);
          if (other !== undefined) await view.end(other);
          if (!(await isRegistered(businessId))) return false;
        }
        for (const way of standing(businessId)) {
          await view.change(way, { isActive: true });
          await view.recover(way);
        }
      }
      return true;
    },
  };

  async function isRegistered(businessId: string): Promise<boolean> {
    try {
      await view.register(businessId, newUrl(), {});
      return true;
    } catch (error) {
      if (faultIn(error)?.code === "rate_limited") return false;
      throw error;
    }
  }
}

const weights = {
  register: 2,
  add: 5,
  filter: 12,
  order: 2,
  hold: 2,
  pause: 2,
  activate: 5,
  move: 1,
  end: 2,
  recover: 2,
  redeliver: 3,
  suspend: 0.5,
  resume: 2,
  price: 1,
};

type ChangeOfWay = Exclude<
  keyof typeof weights,
  "register" | "add" | "suspend" | "resume" | "price"
>;

function refusedOnly(error: unknown): void {
  if (faultIn(error)?.code !== "invalid_request") throw error;
}

async function drawOwnFilter(
  world: World,
  random: Random,
  businessId: string,
): Promise<Filter | null> {
  const wallets = await world.sql<{ id: string }>(
    "SELECT id FROM wallet WHERE business_id = $1 AND removed_at IS NULL ORDER BY address",
    [businessId],
  );
  return drawFilter(
    random,
    wallets.map(({ id }) => id),
  );
}
