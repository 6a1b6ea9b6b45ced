import { createCustomer } from "../../test/support/process/customer.ts";
import type { NotifiedBusiness } from "../support/delivery/notified-business.ts";
import type { BusyDelivery, Targets } from "./busy-delivery.ts";

export type AttackName = keyof typeof attacks;

/** What goes on beside the healthy businesses. */
export type Attack = {
  title: string;
  /** The healthy webhooks, in words. */
  healthy: string;
  /**
   * The URLs of each business, the healthy webhooks before all others.
   */
  urlLists: (targets: Targets) => string[][];
  healthyCount: number;
  /** Answers how to stop it, which answers what it came to. */
  begin: (world: BusyDelivery, others: NotifiedBusiness[]) => Promise<() => Promise<string>>;
};

const hangingCount = 25;
const businessCount = 50;
const siblingCount = 14;
const alike = (count: number, url: string) => Array.from({ length: count }, () => url);
const businesses = {
  healthy: `${businessCount} healthy businesses`,
  healthyCount: businessCount,
} as const;
const eachOnItsOwn = (urls: string[]) => urls.map((url) => [url]);
const beside = ({ url }: Targets, others: string[]) =>
  eachOnItsOwn([...alike(businessCount, url), ...others]);
const registerEveryMs = 200;
const over = async () => "";

export const attacks = {
  backlog: {
    ...businesses,
    title: "a hanging and a dead receiver",
    urlLists: (targets) => beside(targets, [targets.hangingUrl, targets.deadUrl]),
    begin: async () => over,
  },
  hanging: {
    ...businesses,
    title: `${hangingCount} known receivers that begin to hang`,
    urlLists: (targets) => beside(targets, alike(hangingCount, targets.turningUrl)),
    async begin({ receiver }) {
      await receiver.ask("hang");
      return over;
    },
  },
  registering: {
    ...businesses,
    title: "one that hangs and has another URL every 0.2 s",
    urlLists: (targets) => beside(targets, [targets.hangingUrl]),
    begin: registerAgainAndAgain,
  },
  siblings: {
    title: "one that begins to hang and one that is dead, of the same business",
    healthy: `${siblingCount} healthy webhooks of one business`,
    healthyCount: siblingCount,
    urlLists: ({ url, turningUrl, deadUrl }) => [
      [...alike(siblingCount, url), turningUrl, deadUrl],
    ],
    async begin({ receiver }) {
      await receiver.ask("hang");
      return over;
    },
  },
} as const satisfies Record<string, Attack>;

/**
 * Registers another URL, and where that is refused, changes the URL of the one that is registered.
 */
async function registerAgainAndAgain(world: BusyDelivery, others: NotifiedBusiness[]) {
  const { url, admin } = await world.startDaemon("api");
  const { api, businessId, webhookId } = await createCustomer({
    url,
    admin,
    blockchain: "none",
    addresses: [],
    receiver: { url: world.hangingUrl },
  });
  // What waits for the others is the attacker's.
  const ids = others.map(({ id }) => id);
  await world.db.query(
    "UPDATE delivery SET business_id = $1, webhook_id = $2 WHERE status = 'waiting' AND business_id = ANY($3)",
    [businessId, webhookId, ids],
  );
  let current = webhookId;
  const answers = new Map<string, number>();
  const count = (what: string) => answers.set(what, (answers.get(what) ?? 0) + 1);
  const attempt = async () => {
    const target = { url: `${world.hangingUrl}?${performance.now()}` };
    const registered = await api.call("POST", "/webhooks", target);
    count(`POST ${registered.status}`);
    if (registered.status === 201) current = registered.body.data.id;
    else count(`PATCH ${(await api.call("PATCH", `/webhooks/${current}`, target)).status}`);
  };
  const underWay = new Set<Promise<void>>();
  const timer = setInterval(() => {
    const one = attempt()
      .catch(() => void count("failed"))
      .finally(() => underWay.delete(one));
    underWay.add(one);
  }, registerEveryMs);
  return async () => {
    clearInterval(timer);
    await Promise.all(underWay);
    return [...answers].map(([what, times]) => `${what}: ${times}`).join(", ");
  };
}
