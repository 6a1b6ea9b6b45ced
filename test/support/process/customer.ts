import { createHmac } from "node:crypto";
import { Webhook } from "standardwebhooks";
import { type ApiClient, client } from "../api/api-client.ts";
import type { ReceivedRequest } from "../delivery/receiver.ts";

export type Customer = Awaited<ReturnType<typeof createCustomer>>;

/**
 * A verified business with a key, a wallet and a webhook, made through the administration and the
 * API.
 */
export async function createCustomer(options: {
  url: string;
  admin: ApiClient;
  blockchain: string;
  addresses: string[];
  /** Where it is notified. */
  receiver: { url: string } | null;
  purpose?: "deposit" | "payment";
}) {
  const { url, admin, blockchain, addresses, receiver, purpose } = options;
  const business = await admin.post("/admin/businesses", { name: "Acme", verified: true });
  const { key } = await admin.post(`/admin/businesses/${business.id}/api-keys`);
  const api = client(url, { "x-api-key": key });
  const wallets = addresses.map((address) => ({
    blockchain,
    address,
    ...(purpose === undefined ? {} : { purpose }),
  }));
  const added =
    wallets.length === 0
      ? []
      : await admin.post(`/admin/businesses/${business.id}/wallets`, { wallets });
  const webhook = receiver === null ? null : await api.post("/webhooks", { url: receiver.url });
  return {
    businessId: business.id as string,
    key: key as string,
    api,
    wallets: added,
    webhookId: webhook?.id as string,
    secret: webhook?.secret as string,
  };
}

/**
 * What a receiver reads, after it has verified both signature forms; throws where one does not
 * hold.
 */
export function verified(request: ReceivedRequest, secret: string) {
  new Webhook(secret).verify(request.rawBody, request.headers as Record<string, string>);
  return signed(request, secret);
}

/**
 * The same, whenever it was signed: the other form holds for some minutes of the receiver's clock.
 */
export function signed(request: ReceivedRequest, secret: string) {
  const expected = createHmac("sha256", secret).update(request.rawBody).digest("hex");
  if (request.headers["x-webhook-signature"] !== expected)
    throw new Error("X-Webhook-Signature does not hold");
  const notification = JSON.parse(request.rawBody.toString());
  if (request.headers["webhook-id"] !== notification.id)
    throw new Error("webhook-id is not the notification's id");
  return notification;
}
