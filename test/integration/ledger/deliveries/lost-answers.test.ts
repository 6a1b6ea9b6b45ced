import { expect, it } from "vitest";
import { claimDeliveries } from "../../../../src/ledger/deliveries/claim-deliveries.ts";
import { emptyMemory } from "../../../../src/ledger/deliveries/claim-memory.ts";
import { readPending } from "../../../../src/ledger/deliveries/read-pending.ts";
import { closeDatabase } from "../../../../src/ledger/postgres/database.ts";
import { eachTest } from "../../../support/each-test.ts";
import { openDatabase } from "../../../support/ledger/database.ts";
import { overTcp } from "../../../support/ledger/databases.ts";
import { startTcpProxy } from "../../../support/process/tcp-proxy.ts";
import { createSeededLedger, limits } from "./seed.ts";

/** A ledger, and a relay's own connections to it, which may end. */
const ledger = eachTest(
  async () => {
    const seeded = await createSeededLedger();
    const url = overTcp(seeded.url);
    const proxy = await startTcpProxy(Number(url.port));
    url.port = String(proxy.port);
    const relay = openDatabase({ databaseUrl: url.href, poolSize: 2 });
    return { ...seeded, relay, proxy };
  },
  async ({ relay, proxy, close }) => {
    await closeDatabase(relay);
    await proxy.stop();
    await close();
  },
);

const unreachable = { code: "database_unavailable" };

async function claimedIds(): Promise<string[]> {
  const rows = await ledger.deliveries();
  return rows.filter((row) => row.claim_token !== null).map(({ id }) => id);
}

it.each([
  ["begun with their claim", { ...limits, direct: 10 }, 1],
  ["in the queue", limits, 0],
])(
  "what a claim took whose answer was lost is taken by the next one: %s",
  async (_, own, sends) => {
    await ledger.addDispatcher(100);
    // All places of the business are taken by the claim that nobody knows of.
    const webhook = await ledger.addWebhook({ url: "https://a.example/", inFlight: 2 });
    const ids = await ledger.addDeliveries(webhook, { count: 2 });
    const memory = emptyMemory();
    ledger.proxy.loseAnswer("COMMIT");
    await expect(claimDeliveries(ledger.relay, own, memory)).rejects.toMatchObject(unreachable);
    expect(await claimedIds()).toEqual(ids);
    expect(await readPending(ledger.relay, memory)).toMatchObject({ isWaiting: true });

    const [claim] = await claimDeliveries(ledger.relay, own, memory);
    expect(claim).toMatchObject({ webhookIds: [webhook.webhookId], deliveries: 2 });
    expect(claim?.begun?.length ?? 0).toBe(2 * sends);
    // Nothing was sent by the lost claim, so only this one counts.
    for (const { claim_token, unrecorded } of await ledger.deliveries())
      expect([claim_token, unrecorded]).toEqual([claim?.token, sends]);
    expect(memory.unanswered).toEqual([]);
  },
);

it("what is being sent stays with its claim, also after the answer of a later claim was lost", async () => {
  await ledger.addDispatcher(100);
  const webhook = await ledger.addWebhook({ url: "https://a.example/" });
  const memory = emptyMemory();
  const direct = { ...limits, direct: 10 };
  const [sent] = await ledger.addDeliveries(webhook, { count: 1 });
  const [sending] = await claimDeliveries(ledger.relay, direct, memory);
  const [lost] = await ledger.addDeliveries(webhook, { count: 1 });
  ledger.proxy.loseAnswer("COMMIT");
  await expect(claimDeliveries(ledger.relay, direct, memory)).rejects.toMatchObject(unreachable);
  const [again] = await claimDeliveries(ledger.relay, direct, memory);
  const tokens = (await ledger.deliveries()).map(({ id, claim_token }) => [id, claim_token]);
  expect(tokens).toEqual([
    [sent, sending?.token],
    [lost, again?.token],
  ]);
});

it("a claim that was not committed takes nothing from the one that follows", async () => {
  await ledger.addDispatcher(100);
  const webhook = await ledger.addWebhook({ url: "https://a.example/" });
  const ids = await ledger.addDeliveries(webhook, { count: 2 });
  const memory = { ...emptyMemory(), unanswered: ["00000000-0000-4000-8000-000000000000"] };
  expect(await claimDeliveries(ledger.relay, limits, memory)).toMatchObject([{ deliveries: 2 }]);
  expect(await claimedIds()).toEqual(ids);
});
