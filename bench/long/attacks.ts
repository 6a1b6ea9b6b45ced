import { createCustomer } from "../../test/support/process/customer.ts";
import type { NotifiedBusiness } from "../support/delivery/notified-business.ts";
import type { BusyDelivery, Targets } from "./busy-delivery.ts";

export type AttackName = keyof typeof attacks;

/** What goes on beside the healthy businesses. */
export type Attack = {
  title: string;
  /** One for each business that takes part. */
  urls: (targets: Targets) => string[];
  /** Answers how to stop it, which answers what it came to. */
  begin: (world: BusyDelivery, others: NotifiedBusiness[]) => Promise<() => Promise<string>>;
};

const hangingCount = 25;
const registerEveryMs = 200;
const over = async () => "";

export const attacks = {
  backlog: {
    title: "a hanging and a dead receiver",
    urls: ({ hangingUrl, deadUrl }) => [hangingUrl, deadUrl],
    begin: async () => over,
  },
  hanging: {
    title: `${hangingCount} known receivers that begin to hang`,
    urls: ({ turningUrl }) => Array.from({ length: hangingCount }, () => turningUrl),
    async begin({ receiver }) {
      await receiver.ask("hang");
      return over;
    },
  },
  registering: {
    title: "one that hangs and has another URL every 0.2 s",
    urls: ({ hangingUrl }) => [hangingUrl],
    begin: registerAgainAndAgain,
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
