import { checkPage } from "../../../packages/webhooks/src/feed/check-page.ts";
import type { Notification } from "../../../packages/webhooks/src/notification.ts";
import { decodeFeedCursor, encodeFeedCursor } from "../../../src/domain/delivery/feed.ts";
import { readFeed } from "../../../src/ledger/notifications/read-feed.ts";
import { bind } from "../../../src/ledger/postgres/bind.ts";
import { type Filter, isNamed } from "../../support/delivery/judge-filter.ts";
import { moveOn } from "../course/move-on.ts";
import { isOnlyPending, isSameEvent } from "../delivery/check-deliveries.ts";
import type { Life } from "../scheduler.ts";
import { faultyLedger, type World } from "../world.ts";
import { codes, drawFilter } from "./draw-filter.ts";
import type { Ways } from "./ways.ts";

/** What a consumer keeps, in one transaction of its own each time. */
type Store = { cursor: string | null; handled: { id: string; body: string }[] };

type Consumer = {
  businessId: string;
  name: string;
  filter: Filter | null;
  store: Store;
  born: number;
  life: Life | null;
};

const perBusiness = 3;
const turnsToCatchUp = 6_000;

/** The fields that a request for the feed may ask for one value of. */
function drawAsked(random: ReturnType<World["random"]>): Filter | null {
  const { events, references, assets, minAmount } = drawFilter(random, []) ?? {};
  const first = <T>(list: readonly T[] | undefined) => list?.slice(0, 1);
  const code = random.pick(codes);
  const filter = {
    events: first(events),
    references: first(references),
    assets: minAmount === undefined ? first(assets) : [code],
    minAmount: minAmount === undefined ? undefined : { [code]: minAmount[code] ?? "0" },
  };
  const given = Object.entries(filter).filter(([, value]) => value !== undefined);
  return given.length === 0 ? null : Object.fromEntries(given);
}

/**
 * Consumers of the feed of each business, of which one asks for some notifications only. Each may
 * be killed between any two steps; what it has stored stays.
 */
export function createConsumers(world: World, ways: Ways, businessIds: readonly string[]) {
  const { scheduler } = world;
  const random = world.random("consumers");
  const consumers = businessIds.flatMap((businessId, business) =>
    Array.from({ length: perBusiness }, (_, at): Consumer => {
      const filter = at === 0 ? drawAsked(random) : null;
      const name = `consumer${business}.${at}`;
      return {
        businessId,
        name,
        filter,
        store: { cursor: null, handled: [] },
        born: 0,
        life: null,
      };
    }),
  );
  let isRestored = false;
  for (const consumer of consumers) boot(consumer);

  function boot(consumer: Consumer): void {
    if (consumer.life !== null) scheduler.end(consumer.life);
    consumer.born += 1;
    consumer.life = scheduler.begin(`${consumer.name}.${consumer.born}`);
    void consume(consumer, consumer.life);
  }

  async function consume(consumer: Consumer, life: Life): Promise<void> {
    const ledger = faultyLedger(world, life, bind(world.db, { readFeed }));
    const own = faultyLedger(world, life, { commit: storing(consumer, () => isRestored) });
    const never = new AbortController().signal;
    for (;;) {
      const { cursor } = consumer.store;
      let pauseMs = 1_000;
      try {
        const page = await ledger.readFeed({
          businessId: consumer.businessId,
          after: cursor === null ? null : decodeFeedCursor(cursor),
          filter: consumer.filter,
          limit: random.int(1, 7),
        });
        if (page.kind === "unknown" && isRestored) {
          consumer.store = { ...consumer.store, cursor: encodeFeedCursor(page.places) };
          continue;
        }
        if (page.kind !== "page") return world.fail(`${life.name} is told ${page.kind}`);
        const bodies = page.entries.map(({ body }) => body);
        const next = encodeFeedCursor(page.places);
        check(consumer, { cursor, next, bodies });
        if (next !== cursor) await own.commit(next, bodies);
        pauseMs = page.isEnd ? random.pick([1_000, 15_000, 60_000]) : 0;
      } catch (error) {
        world.judge(life.name, error);
      }
      await scheduler.clockOf(life).sleep(pauseMs, never);
    }
  }

  /** As the package for receivers checks each page. */
  function check(
    { filter, name }: Consumer,
    page: { cursor: string | null; next: string; bodies: readonly string[] },
  ): void {
    const { cursor: after, next: cursor, bodies } = page;
    const notifications = bodies.map((body) => JSON.parse(body) as Notification);
    try {
      checkPage({ after, cursor, notifications, isWhole: filter === null });
    } catch (error) {
      world.fail(`${name} has a broken page: ${String(error)}`);
    }
  }

  const dueOf = ({ businessId, filter }: Consumer) =>
    ways
      .written()
      .filter((one) => one.businessId === businessId && isNamed(filter, one.told, null));

  const isBehind = (consumer: Consumer) => {
    const handled = new Set(consumer.store.handled.map(({ id }) => id));
    return dueOf(consumer).some(({ id }) => !handled.has(id));
  };

  /** After a restore, too, everything that is in the ledger has come once, and nothing else. */
  function checkRestored(consumer: Consumer): void {
    const { handled } = consumer.store;
    const due = new Map(dueOf(consumer).map(({ id, body }) => [id, body]));
    const ids = new Set(handled.map(({ id }) => id));
    const extra = handled.filter(({ id, body }) => {
      const written = due.get(id);
      return written === undefined ? !isOnlyPending(body) : !isSameEvent(written, body);
    });
    const missing = [...due.keys()].filter((id) => !ids.has(id));
    if (extra.length + missing.length > 0 || ids.size !== handled.length)
      world.fail(
        `${consumer.name} has ${handled.length} events, ${ids.size} of them once; missing: ${missing}; not in the ledger: ${extra.map(({ id }) => id)}`,
      );
  }

  return {
    happen(): void {
      if (random.chance(world.cast.streams?.consumerDies ?? 0)) boot(random.pick(consumers));
    },

    /** All are killed, because the ledger was restored. */
    killAll(): void {
      isRestored = true;
      for (const consumer of consumers) boot(consumer);
    },

    /** Lets everybody catch up, and compares what each has with all that was written. */
    async end(): Promise<void> {
      const lastTurn = scheduler.turns() + turnsToCatchUp;
      while (
        consumers.some(isBehind) &&
        scheduler.turns() < lastTurn &&
        world.failures.length === 0
      )
        await moveOn(world, 1);
      if (world.atOnce > 1) return;
      for (const consumer of consumers) {
        if (isRestored) {
          checkRestored(consumer);
          continue;
        }
        const due = dueOf(consumer);
        const { handled } = consumer.store;
        const place = due.findIndex(
          ({ id, body }, at) => handled[at]?.id !== id || handled[at]?.body !== body,
        );
        if (place >= 0 || handled.length !== due.length)
          world.fail(
            `${consumer.name} has ${handled.length} of ${due.length} events; at ${place} ${handled[place]?.id} and not ${due[place]?.id}`,
          );
      }
    },
  };
}

/**
 * The consumer's own transaction: what it handles, and the cursor after it. Only a restored ledger
 * says again what a consumer has.
 */
function storing(consumer: Consumer, isRestored: () => boolean) {
  return async (cursor: string, bodies: readonly string[]) => {
    const handled = bodies.map((body) => ({ id: (JSON.parse(body) as { id: string }).id, body }));
    const known = new Set(consumer.store.handled.map(({ id }) => id));
    const fresh = isRestored() ? handled.filter(({ id }) => !known.has(id)) : handled;
    consumer.store = { cursor, handled: [...consumer.store.handled, ...fresh] };
  };
}
