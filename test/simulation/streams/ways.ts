import { type Filter, isNamed, type Told } from "../../support/delivery/judge-filter.ts";
import type { Random } from "../random.ts";

type Sql = <T extends object>(text: string, values?: unknown[]) => Promise<T[]>;

/** The oracle of a run with many webhooks. */
export type Ways = ReturnType<typeof createWays>;

/**
 * A way on which a business is notified: its first webhook, whichever that is by now, or another
 * one. Its name is the business's id, or the webhook's.
 */
export type Way = {
  name: string;
  businessId: string;
  /** The webhook that stands there now; null: none, and what is for the first one is held. */
  webhookId: string | null;
  filter: Filter | null;
  isOrdered: boolean;
  holds: boolean;
  /** When its business last changed something about it: see `claimedAt`. */
  changedAt: number;
  /** What it is to receive, in the order of the ledger, with what was written for it before. */
  due: Map<string, { previousId: string | null }>;
  /** What was asked for once more, whatever the filter says. */
  asked: Set<string>;
  /** The given-up notifications that hold their wallets. */
  held: Set<string>;
};

type Written = {
  id: string;
  businessId: string;
  transactionId: string;
  round: number;
  state: string;
  sequence: string;
  body: string;
};

type Send = {
  deliveryId: string;
  notificationId: string;
  webhookId: string;
  token: string;
  maxAttempts: number | null;
};

const undone = new Map([
  ["reversed", "confirmed"],
  ["dropped", "pending"],
]);

/**
 * Knows what each webhook has asked for, and judges each notification when it is written, by
 * docs/contract.md alone: who receives it, behind what, and when its turn comes. Only where the
 * seed decides the order of all calls: else nobody knows which filter a commit has seen.
 */
export function createWays(ports: {
  sql: Sql;
  fail: (what: string) => void;
  random: Random;
  isExact: boolean;
}) {
  const { sql, fail, random, isExact } = ports;
  const ways = new Map<string, Way>();
  /** The way that a webhook is, or was. */
  const byWebhook = new Map<string, Way>();
  const byUrl = new Map<string, { way: Way; fails: number }>();
  const written = new Map<string, Written & { told: Told }>();
  const sequences = new Map<string, number>();
  const prices = new Map<string, string>();
  const claimedAt = new Map<string, number>();
  const tries = new Map<string, number | null>();
  let judgedChanges = -1;
  let events = 0;

  function wayOf(name: string, businessId: string): Way {
    const known = ways.get(name);
    if (known !== undefined) return known;
    const way: Way = {
      name,
      businessId,
      webhookId: null,
      filter: null,
      isOrdered: false,
      holds: false,

      changedAt: 0,
      due: new Map(),
      asked: new Set(),
      held: new Set(),
    };
    ways.set(name, way);
    return way;
  }

  /** Every way that is there: a business's first one always is. */
  const standing = (businessId: string) =>
    [...ways.values()].filter(
      (way) => way.businessId === businessId && (way.name === businessId || way.webhookId !== null),
    );

  function judgeOne(one: Written & { told: Told }): void {
    const { id, businessId, transactionId, round, state, told } = one;
    const next = (sequences.get(businessId) ?? 0) + 1;
    if (Number(one.sequence) !== next)
      fail(`notification ${id} has the sequence ${one.sequence} and not ${next}`);
    sequences.set(businessId, next);
    const undoes = undone.get(state);
    const before = [...written.values()].find(
      (other) =>
        other.transactionId === transactionId && other.round === round && other.state === undoes,
    );
    for (const way of standing(businessId)) {
      const wasGiven = before !== undefined && (way.due.has(before.id) || way.asked.has(before.id));
      const isForAll = undoes !== undefined && before === undefined;
      const usd = prices.get(told.data.asset ?? "") ?? null;
      if (!wasGiven && !isForAll && !isNamed(way.filter, told, usd)) continue;
      way.due.set(id, { previousId: [...way.due.keys()].at(-1) ?? null });
    }
    written.set(id, one);
  }

  /** What a send may not go before, and what may not be under way beside it. */
  async function checkTurn(sends: readonly Send[]): Promise<void> {
    const inLine = sends.filter(({ webhookId, maxAttempts, notificationId }) => {
      const way = byWebhook.get(webhookId);
      const isInLine = maxAttempts === null || way?.held.has(notificationId) === true;
      return way?.isOrdered === true && isInLine;
    });
    if (inLine.length === 0) return;
    const rows = await sql<{ deliveryId: string; other: string; isOlder: boolean }>(
      `SELECT d.id AS "deliveryId", m.id AS other, m.sequence < n.sequence AS "isOlder"
       FROM delivery d JOIN notification n ON n.id = d.notification_id JOIN transaction t ON t.id = n.transaction_id
         JOIN transaction u ON u.wallet_id = t.wallet_id JOIN notification m ON m.transaction_id = u.id
         JOIN delivery o ON o.notification_id = m.id AND o.webhook_id = d.webhook_id
       WHERE d.id = ANY($1::uuid[]) AND m.id <> n.id AND o.status = 'waiting' AND o.max_attempts IS NULL
         AND (m.sequence < n.sequence OR o.begun_at IS NOT NULL AND o.claim_expires_at > virtual.now())`,
      [inLine.map(({ deliveryId }) => deliveryId)],
    );
    for (const send of inLine) {
      const way = byWebhook.get(send.webhookId);
      // What was claimed before the business changed something is finished first.
      if (way === undefined || (claimedAt.get(send.token) ?? 0) < way.changedAt) continue;
      const row = rows.find(({ deliveryId }) => deliveryId === send.deliveryId);
      const beside = row?.isOlder === true ? "before the older" : "beside";
      if (row !== undefined)
        fail(`notification ${send.notificationId} is sent ${beside} ${row.other} of its wallet`);
      const own = written.get(send.notificationId);
      const holding = [...way.held].map((id) => written.get(id));
      const isHeld = holding.some(
        (one) =>
          one !== undefined &&
          own !== undefined &&
          one.told.data.walletId === own.told.data.walletId &&
          Number(one.sequence) < Number(own.sequence),
      );
      if (isHeld) fail(`notification ${send.notificationId} is sent although its wallet is held`);
    }
  }

  return {
    ways,
    wayOf,
    prices,
    written: (): readonly { id: string; businessId: string; body: string; told: Told }[] => [
      ...written.values(),
    ],

    /** A webhook stands in a way from now on, or has another URL. */
    stands(way: Way, of: { webhookId: string; url: string }): void {
      way.webhookId = of.webhookId;
      byWebhook.set(of.webhookId, way);
      const known = byUrl.get(of.url);
      byUrl.set(of.url, { way, fails: known?.fails ?? random.pick([0, 0, 0.2, 0.5, 0.9]) });
    },

    ofWebhook: (webhookId: string) => byWebhook.get(webhookId),

    /** See World. URLs and ids of webhooks are new ones each time, and need not be forgotten. */
    remember(): () => void {
      const then = structuredClone({ ways, written, sequences, prices });
      return () => {
        for (const [name, way] of ways) Object.assign(way, then.ways.get(name));
        refill(written, then.written);
        refill(sequences, then.sequences);
        refill(prices, then.prices);
        judgedChanges = -1;
      };
    },

    /** The business has changed something about a way. */
    changed(way: Way): void {
      events += 1;
      way.changedAt = events;
    },

    /** How often a receiver fails while things go wrong. */
    fails: (url: string): number => byUrl.get(url)?.fails ?? 0,

    /** Judges what was written since the last time. Call it after each change of the ledger. */
    async judge(changes: number): Promise<void> {
      if (!isExact || changes === judgedChanges) return;
      judgedChanges = changes;
      const rows = await sql<Written>(
        `SELECT id, business_id AS "businessId", transaction_id AS "transactionId", round, state, n.sequence::text AS "sequence", body
         FROM notification n
         WHERE n.sequence > coalesce(($1::jsonb ->> n.business_id::text)::bigint, 0)
         ORDER BY n.business_id, n.sequence`,
        [JSON.stringify(Object.fromEntries(sequences))],
      );
      for (const row of rows) judgeOne({ ...row, told: JSON.parse(row.body) as Told });
    },

    claimed(tokens: readonly string[]): void {
      events += 1;
      for (const token of tokens) claimedAt.set(token, events);
    },

    async begun(sends: readonly Send[]): Promise<void> {
      if (!isExact) return;
      for (const { deliveryId, maxAttempts } of sends) tries.set(deliveryId, maxAttempts);
      await checkTurn(sends);
    },

    /** The outcome of an attempt is on record. */
    recorded(
      of: { deliveryId: string; webhookId: string; isAccepted: boolean; isGivenUp: boolean },
      notificationId: string,
    ): void {
      const way = byWebhook.get(of.webhookId);
      if (way === undefined || way.webhookId !== of.webhookId) return;
      if (of.isAccepted) way.held.delete(notificationId);
      const isInLine = tries.get(of.deliveryId) === null;
      if (of.isGivenUp && isInLine && way.isOrdered && way.holds) way.held.add(notificationId);
    },

    /** What a receiver hears must be meant for it, and say what was written for it before. */
    hears(message: { url: string; notificationId: string; previousId?: string | null }): void {
      if (!isExact) return;
      const { url, notificationId, previousId = null } = message;
      const way = byUrl.get(url)?.way;
      const due = way?.due.get(notificationId);
      if (way === undefined || (due === undefined && !way.asked.has(notificationId))) {
        fail(`${url} hears notification ${notificationId}, which its filter leaves out`);
        return;
      }
      const expected = due?.previousId ?? null;
      if (expected !== previousId)
        fail(`${url} hears ${notificationId} after ${previousId}, and not after ${expected}`);
    },

    /** At the end each webhook that stands has everything that was for it. */
    checkHeard(heard: readonly { notificationId: string; url: string; isAccepted: boolean }[]) {
      if (!isExact) return;
      const accepted = new Set(
        heard.flatMap(({ notificationId, url, isAccepted }) =>
          isAccepted ? [`${byUrl.get(url)?.way.name} ${notificationId}`] : [],
        ),
      );
      for (const { name, webhookId, due } of ways.values()) {
        if (webhookId === null) continue;
        for (const id of due.keys())
          if (!accepted.has(`${name} ${id}`)) fail(`webhook ${webhookId} has never got ${id}`);
      }
    },
  };
}

function refill<Key, Value>(map: Map<Key, Value>, from: ReadonlyMap<Key, Value>): void {
  map.clear();
  for (const [key, value] of from) map.set(key, value);
}
