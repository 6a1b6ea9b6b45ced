// An attacker of neighbours.ts: a business with wallets and a history, and a request for each route
// with ids of its own, so that each route does all of its work.
import type { ApiClient } from "../../test/support/api/api-client.ts";
import type { Anvil } from "../../test/support/chain/anvil.ts";
import type { Receiver } from "../../test/support/delivery/receiver.ts";
import { createCustomer } from "../../test/support/process/customer.ts";
import { waitFor } from "../../test/support/wait-for.ts";
import { type deployToken, transfersInOne } from "../support/chain/transfer-chain.ts";
import { randomAddress } from "../support/random-address.ts";
import type { Ask } from "./neighbour-attack.ts";

type Deployed = { url: string; admin: ApiClient; blockchain: string };

/** The chain that pays an attacker, and the token. */
type Paying = { anvil: Anvil; token: Awaited<ReturnType<typeof deployToken>> };

type Described = { paths: Record<string, Record<string, { security?: object[] }>> };

const walletsAtOnce = 1_000;
/** A block holds one such payment. */
const transfersAtOnce = 100;
const historyTimeoutMs = 300_000;

/**
 * Makes an attacker with so many wallets and so many transactions, each of which was notified.
 * @returns one request for each route of a business, as the API describes its routes, and the
 * sign-in
 */
export async function createAttacker(
  deployed: Deployed & { receiver: Receiver },
  paying: Paying,
  { wallets, history }: { wallets: number; history: number },
): Promise<Ask[]> {
  const { url, admin, receiver } = deployed;
  const customer = await createCustomer({ ...deployed, addresses: [] });
  const { businessId, api, webhookId } = customer;
  const addresses = await addWallets(deployed, businessId, wallets);
  await pay(paying, addresses.slice(0, history), history);
  await waitFor(() => receiver.requests.length >= history, {
    what: "the attacker's notifications",
    timeoutMs: historyTimeoutMs,
  });
  const { key: walletsKey } = await admin.post(`/admin/businesses/${businessId}/api-keys`, {
    scopes: ["read", "wallets:write"],
    max_wallets: 1_000_000,
  });
  const month = new Date().toISOString().slice(0, 7);
  const credits = await creditsOf(api, history);
  const sent = await sendCredits(url, customer.key, credits);
  const newest = async (path: string, count: number): Promise<string[]> =>
    (await api.get(`${path}?limit=${count}`)).map(({ id }: { id: string }) => id);
  const headers = { "x-api-key": customer.key };
  await (await fetch(`${url}/statements?month=${month}`, { headers })).text();
  const recovery = await api.post(`/webhooks/${webhookId}/recover`, { since: sinceOf() });
  const spareKey = await api.post("/api-keys", {});
  await api.must("POST", "/auth/token");
  const ids: Record<string, string[]> = {
    wallet_id: [(await api.get("/wallets?limit=1"))[0].wallet_id],
    transaction_id: await newest("/transactions", 1),
    statement_id: await newest("/statements/all", 1),
    reconciliation_id: [sent],
    recovery: [recovery.recovery],
    webhooks: [webhookId],
    // One that waits for its attempt is not delivered once more: each has its turn.
    notifications: await newest("/notifications", Math.min(500, history)),
    "api-keys": [spareKey.id],
    auth: await newest("/auth/tokens", 1),
  };
  const { key } = customer;
  return asksOf(await describedBy(url), { key, walletsKey, ids, month, credits, receiver });
}

const sinceOf = () => new Date(Date.now() - 3_600_000).toISOString();

async function describedBy(url: string): Promise<Described> {
  return (await (await fetch(`${url}/openapi.json`)).json()) as Described;
}

async function addWallets(
  { admin, blockchain }: Deployed,
  businessId: string,
  count: number,
): Promise<string[]> {
  const addresses = Array.from({ length: count }, randomAddress);
  for (let first = 0; first < count; first += walletsAtOnce) {
    const wallets = addresses.slice(first, first + walletsAtOnce).map((address, index) => ({
      blockchain,
      address,
      reference: `order-${first + index}`,
      label: `customer-${(first + index) % 50}`,
    }));
    await admin.post(`/admin/businesses/${businessId}/wallets`, { wallets });
  }
  return addresses;
}

async function pay({ anvil, token }: Paying, addresses: string[], count: number): Promise<void> {
  const from = token.holders[0] ?? "";
  for (let paid = 0; paid < count; paid += transfersAtOnce) {
    const due = Array.from({ length: Math.min(transfersAtOnce, count - paid) }, (_, index) => ({
      to: addresses[(paid + index) % addresses.length] ?? "",
      amountAtomic: BigInt(paid + index + 1),
    }));
    await anvil.receipt(await anvil.send({ from, ...transfersInOne(token, due) }));
  }
}

/** Own credits of the newest transactions, as CSV. */
async function creditsOf(api: ApiClient, count: number): Promise<string> {
  const rows = await api.get(`/transactions?limit=${Math.min(500, count)}`);
  const lines = rows.map(
    (row: { id: string; asset: string; amount: string; date: string }) =>
      `${row.id},${row.asset},${row.amount},credit-${row.id},${row.date}`,
  );
  return ["transaction_id,asset,amount,reference,credited_at", ...lines, ""].join("\n");
}

async function sendCredits(url: string, key: string, body: string): Promise<string> {
  const headers = { "x-api-key": key, "content-type": "text/csv" };
  const answer = await fetch(`${url}/reconciliations`, { method: "POST", headers, body });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`POST /reconciliations answered ${answer.status}: ${text}`);
  return JSON.parse(text).data.id;
}

type Known = {
  key: string;
  walletsKey: string;
  /** By the name in the path, or for `{id}` by the first part of the path. */
  ids: Record<string, string[]>;
  month: string;
  credits: string;
  receiver: Receiver;
};

function asksOf({ paths }: Described, known: Known): Ask[] {
  const { key, walletsKey, ids, month, credits } = known;
  const period = `?month=${month}`;
  /** What makes a route dear, or is required. */
  const queries: Record<string, string> = {
    "/audit": "?limit=500",
    "/wallets": "?limit=500",
    "/transactions": "?limit=500&include=fee,usd_value,label",
    "/notifications": "?limit=500",
    "/notifications/feed": "?limit=500",
    "/reconciliations/{reconciliation_id}": "?limit=500",
    "/search": "?q=order",
    "/totals": `${period}&by=day,label`,
    "/open-matters": period,
    "/statements": `${period}&anew=true`,
  };
  /** The bodies of routes that need one, in turn; the others are sent an empty one. */
  const bodies: Record<string, object[]> = {
    "POST /webhooks": [{ url: known.receiver.url, additional: true }],
    "PATCH /webhooks/{id}": [{ rate: 9 }, { rate: 8 }],
    "POST /webhooks/{id}/recover": [{ since: sinceOf() }],
    // The same list again would change nothing.
    "PUT /wallets/{wallet_id}/thresholds": ["1", "2"].map((below) => ({
      thresholds: [{ asset: "ETH", below }],
    })),
  };
  const routes = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, { security = [] }]) => security.some((one) => "apiKey" in one))
      .map(([method]) => ({ method: method.toUpperCase(), path })),
  );
  const business = routes.map(({ method, path }): Ask => {
    const name = `${method} ${path}`;
    const [, room = ""] = path.split("/");
    // A webhook that is deleted would be missing for the others: this one was never there.
    const own = name === "DELETE /webhooks/{id}" ? undefined : ids[room];
    const fill = (turn: number) =>
      path.replaceAll(/\{(\w+)\}/g, (_, id) => {
        const known = ids[id] ?? own ?? [];
        return known[turn % known.length] ?? crypto.randomUUID();
      });
    const turns = path.includes("{id}") ? (own?.length ?? 1) : 1;
    const query = method === "GET" ? (queries[path] ?? "") : "";
    const isCredits = name === "POST /reconciliations";
    return {
      name,
      method,
      paths: Array.from({ length: turns }, (_, turn) => `${fill(turn)}${query}`),
      key: /^(POST|PUT) \/wallets/.test(name) ? walletsKey : key,
      type: isCredits ? "text/csv" : "application/json",
      bodies: isCredits ? [credits] : (bodies[name] ?? [{}]).map((one) => JSON.stringify(one)),
    };
  });
  const name = "POST /console/session";
  const signIn = { name, method: "POST", paths: ["/console/session"], key };
  return [
    ...business,
    { ...signIn, type: "application/json", bodies: [JSON.stringify({ api_key: key })] },
  ];
}
