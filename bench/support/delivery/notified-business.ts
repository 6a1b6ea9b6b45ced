import { createCustomer } from "../../../test/support/process/customer.ts";
import type { DaemonProcess } from "../../../test/support/process/daemon-process.ts";

type NotifiedWebhook = { webhookId: string; url: string; secret: string };

/** A verified business with its webhooks, the first one first. */
export type NotifiedBusiness = { id: string; webhooks: readonly NotifiedWebhook[] };

/** Requests under way at once. */
const atOnce = 10;

/** One business for each list of URLs, with a webhook at each, in their order. */
export async function addNotifiedBusinesses(
  { url: daemonUrl, admin }: DaemonProcess,
  urlLists: readonly (readonly string[])[],
): Promise<NotifiedBusiness[]> {
  const added: NotifiedBusiness[] = [];
  const add = async ([url = "", ...further]: readonly string[]): Promise<NotifiedBusiness> => {
    const watched = { blockchain: "none", addresses: [], receiver: { url } };
    const customer = await createCustomer({ url: daemonUrl, admin, ...watched });
    const webhooks = [{ webhookId: customer.webhookId, url, secret: customer.secret }];
    for (const another of further) {
      const { id, secret } = await customer.api.post("/webhooks", {
        url: another,
        additional: true,
      });
      webhooks.push({ webhookId: id, url: another, secret });
    }
    return { id: customer.businessId, webhooks };
  };
  for (let at = 0; at < urlLists.length; at += atOnce) {
    added.push(...(await Promise.all(urlLists.slice(at, at + atOnce).map(add))));
  }
  return added;
}

/** Each webhook as the only one of its business. */
export function oneByOne(businesses: readonly NotifiedBusiness[]): NotifiedBusiness[] {
  return businesses.flatMap(({ id, webhooks }) => webhooks.map((one) => ({ id, webhooks: [one] })));
}
