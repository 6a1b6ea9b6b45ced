import { afterAll, beforeAll, expect, test } from "vitest";
import { insertKey, openTestApi, type TestApi } from "../../support/api/test-api.ts";
import type { BulkOwner } from "../../support/ledger/bulk-history.ts";
import { fillInstallation } from "../../support/ledger/bulk-installation.ts";
import { bulkChains } from "../../support/ledger/bulk-ledger.ts";
import { configureChains } from "../../support/ledger/steps.ts";

// Every list that a page of the console asks, at a size of your choice: scripts/lists-at-scale.ts
// takes a million transactions, and prints how long each takes.
const given = process.env["CHAINBELL_LIST_ROWS"];
const rows = Number(given ?? 10_000);
const rounds = given === undefined ? 1 : 5;
const limit = 50;
const dayMs = 86_400_000;

let api: TestApi;
let owner: BulkOwner;
let key: string;
/** A transaction and a notification of the owner, in the middle of the lists. */
let middle: { id: string; txHash: string; address: string; at: Date };

beforeAll(async () => {
  api = await openTestApi();
  await configureChains(api.db, [...bulkChains], "removed");
  owner = await fillInstallation(api, rows);
  key = await insertKey(api, owner.businessId);
  const [row] = await api.db.$queryRaw<(typeof middle)[]>`
    SELECT t.id::text, t.tx_hash AS "txHash", w.address, t.block_time AS at
    FROM transaction t JOIN wallet w ON w.id = t.wallet_id JOIN notification n ON n.id = t.id
    WHERE t.business_id = ${owner.businessId}::uuid ORDER BY t.id OFFSET ${Math.floor(rows / 4)} LIMIT 1`;
  if (row === undefined) throw new Error("there is no transaction");
  middle = row;
}, 3_600_000);

afterAll(() => api.stop());

/** Each list by what a person calls it. Those of the operator begin with /admin. */
function lists(): Record<string, string> {
  const dayOf = (ms: number) => new Date(ms).toISOString().slice(0, 10);
  const period = `from=${dayOf(middle.at.getTime())}&to=${dayOf(middle.at.getTime() + dayMs)}`;
  const hash = middle.txHash.slice(0, 10);
  const [wallet = ""] = owner.walletIds;
  const customer = `customer-${Math.floor(owner.walletIds.length / 2)}`;
  return {
    balance: "/balance",
    wallets: "/wallets?limit=50",
    "wallets by part of a reference": `/wallets?q=${customer}&limit=50`,
    "wallets by the beginning of an address": `/wallets?q=${middle.address.slice(0, 8)}&limit=50`,
    transactions: "/transactions?limit=50",
    "transactions of a type": "/transactions?type=withdrawal&limit=50",
    "transactions that were reversed": "/transactions?status=reversed&limit=50",
    "transactions of an asset": "/transactions?asset=USDC&limit=50",
    "the largest transactions of an asset": "/transactions?asset=USDC&sort=amount&limit=50",
    "transactions of a chain": "/transactions?blockchain=base&limit=50",
    "transactions of a wallet": `/transactions?wallet_id=${wallet}&limit=50`,
    "transactions by part of a reference": `/transactions?q=${customer}&limit=50`,
    "transactions by the beginning of a hash": `/transactions?tx_hash=${hash}&limit=50`,
    "transactions of a day": `/transactions?${period}&limit=50`,
    "transactions with their customers": "/transactions?include=label,reference,usd_value&limit=50",
    "transactions a day": "/transactions/counts?bucket=day",
    notifications: "/notifications?limit=50",
    "notifications with their customers": "/notifications?include=label&limit=50",
    "notifications that wait": "/notifications?status=waiting&limit=100",
    "notifications that were given up": "/notifications?status=exhausted&limit=50",
    "notifications of an event": "/notifications?event=transaction.withdrawal&limit=50",
    "notifications by part of a reference": `/notifications?q=${customer}&limit=50`,
    "notifications of an asset": "/notifications?asset=USDC&limit=50",
    "the largest notifications of an asset": "/notifications?asset=USDC&sort=amount&limit=50",
    "the largest that were given up":
      "/notifications?asset=USDC&sort=amount&status=exhausted&limit=50",
    "the largest of a day": `/notifications?asset=USDC&sort=amount&${period}&limit=50`,
    "the largest by part of a reference": `/notifications?asset=USDC&sort=amount&q=${customer}&limit=50`,
    "notifications of a chain": "/notifications?blockchain=base&limit=50",
    "notifications of a day": `/notifications?${period}&limit=50`,
    "notifications a day": "/notifications/counts?bucket=day",
    "totals of a day": `/totals?${period}&by=label&time_zone=UTC`,
    "totals of the month": `/totals?month=${dayOf(Date.now()).slice(0, 7)}&by=label`,
    "what keeps the month open": `/open-matters?month=${dayOf(Date.now()).slice(0, 7)}`,
    sightings: "/sightings?limit=50",
    statements: "/statements/all?limit=50",
    webhooks: "/webhooks/all",
    "search for a reference": `/search?q=${customer}`,
    "search for an amount": "/search?q=25%20USDC",
    "search for a hash": `/search?q=${hash}`,
    "search for an address": `/search?q=${middle.address.slice(0, 10)}`,
    "search for nothing there": "/search?q=nowhere-at-all",
    "the operator's status": "/admin/status",
    "the operator's alerts": "/admin/alerts",
    "the operator's outbox": "/admin/outbox",
    businesses: "/admin/businesses?limit=50",
    "the names of businesses": "/admin/businesses?limit=500",
    "a business's wallets by part of a reference": `/admin/businesses/${owner.businessId}/wallets?q=${customer}&limit=50`,
    "a business's wallets": `/admin/businesses/${owner.businessId}/wallets?limit=50`,
    "a business's transactions": `/admin/businesses/${owner.businessId}/transactions?limit=50`,
    "everybody's notifications": "/admin/notifications?limit=50",
    "everybody's of an asset": "/admin/notifications?asset=USDC&limit=50",
    "everybody's given up": "/admin/notifications?status=exhausted&limit=50",
    "a business's notifications": `/admin/notifications?business_id=${owner.businessId}&limit=50`,
    "a business's largest notifications": `/admin/notifications?business_id=${owner.businessId}&asset=USDC&sort=amount&limit=50`,
    "everybody's webhooks": "/admin/webhooks?limit=50",
    "the operator's search for a reference": `/admin/search?q=${customer}`,
    "the operator's search for an amount": "/admin/search?q=25%20USDC",
    "the operator's search for a hash": `/admin/search?q=${hash}`,
    "the operator's search for a business": "/admin/search?q=Customer%201",
    audit: "/admin/audit?limit=50",
    "a business's audit": `/admin/audit?business_id=${owner.businessId}&limit=20`,
    "the audit of a day": `/admin/audit?${period}&limit=50`,
    discrepancies: "/admin/ledger/reconciliations?limit=50",
    "open discrepancies": "/admin/ledger/reconciliations?open=true&limit=50",
    "discrepancies of a day": `/admin/ledger/reconciliations?${period}&limit=50`,
    "sightings of a day": `/sightings?${period}&limit=50`,
  };
}

const ask = (path: string) =>
  path.startsWith("/admin") ? api.admin("GET", path.slice("/admin".length)) : api.get(path, key);

test("every list of the console is answered, a page of its rows, over a whole installation", async () => {
  const took: [name: string, ms: number][] = [];
  const refused: Record<string, string> = {};
  for (const [name, path] of Object.entries(lists())) {
    const times: number[] = [];
    for (let round = 0; round < rounds; round += 1) {
      const beganMs = performance.now();
      const answer = await ask(path);
      times.push(performance.now() - beganMs);
      if (answer.statusCode !== 200) refused[name] = answer.body;
    }
    took.push([name, times.sort((one, other) => one - other)[Math.floor(rounds / 2)] ?? 0]);
  }
  const slowest = took.toSorted(([, one], [, other]) => other - one);
  if (given !== undefined)
    process.stdout.write(
      slowest.map(([name, ms]) => `${ms.toFixed(1).padStart(8)} ms  ${name}\n`).join(""),
    );
  expect(refused).toEqual({});
  for (const path of ["/wallets", "/transactions", "/notifications"])
    expect((await ask(`${path}?limit=${limit}`)).json().data).toHaveLength(limit);
}, 3_600_000);
