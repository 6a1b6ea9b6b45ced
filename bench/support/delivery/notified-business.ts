import { createCustomer } from "../../../test/support/process/customer.ts";
import type { DaemonProcess } from "../../../test/support/process/daemon-process.ts";

/** A verified business that is notified at the URL, with the secret that signs what it is sent. */
export type NotifiedBusiness = { id: string; webhookId: string; url: string; secret: string };

/** Requests under way at once. */
const atOnce = 10;

/** One business for each of the URLs, in their order. */
export async function addNotifiedBusinesses(
  { url: daemonUrl, admin }: DaemonProcess,
  urls: readonly string[],
): Promise<NotifiedBusiness[]> {
  const added: NotifiedBusiness[] = [];
  const add = async (url: string): Promise<NotifiedBusiness> => {
    const watched = { blockchain: "none", addresses: [], receiver: { url } };
    const customer = await createCustomer({ url: daemonUrl, admin, ...watched });
    const { businessId: id, webhookId, secret } = customer;
    return { id, webhookId, url, secret };
  };
  for (let at = 0; at < urls.length; at += atOnce) {
    added.push(...(await Promise.all(urls.slice(at, at + atOnce).map(add))));
  }
  return added;
}
