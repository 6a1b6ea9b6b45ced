import { createHmac } from "node:crypto";
import { Webhook } from "standardwebhooks";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { verify } from "../../packages/webhooks/src/verify.ts";
import { notificationEvents, testEvent } from "../../src/domain/delivery/notification.ts";
import { keysOf } from "../../src/domain/keys-of.ts";
import { payer, shownWallet as wallet } from "../support/chain/cast.ts";
import type { ReceivedRequest } from "../support/delivery/receiver.ts";
import { type Customer, createCustomer } from "../support/process/customer.ts";
import { startDaemon } from "../support/process/daemon.ts";
import { deploymentIn, eachWorld } from "../support/world.ts";

describe("a secret that is rotated while notifications arrive", () => {
  const world = eachWorld();
  let daemon: Awaited<ReturnType<typeof startDaemon>>;
  let customer: Customer;
  let webhookId: string;

  beforeEach(async () => {
    daemon = await startDaemon(deploymentIn(world));
    customer = await createCustomer({
      ...daemon,
      blockchain: "anvil",
      addresses: [wallet],
      receiver: world.receiver,
    });
    webhookId = (await customer.api.get("/webhooks")).id;
  });

  afterEach(async () => {
    await daemon.stop();
  });

  let arrived = 0;
  /** Makes deposits until that many more requests have arrived, and answers those. */
  async function notify(count: number): Promise<ReceivedRequest[]> {
    for (let sent = 0; sent < count; sent += 1) {
      await world.anvil.sendNative({
        from: payer,
        to: wallet,
        amountAtomic: BigInt(arrived + sent + 1),
      });
    }
    await world.receiver.waitForCount(arrived + count);
    const requests = world.receiver.requests.slice(arrived);
    arrived += count;
    return requests;
  }

  const believedBy = {
    library: (secret: string) => (request: ReceivedRequest) => {
      try {
        new Webhook(secret).verify(request.rawBody, request.headers as Record<string, string>);
        return true;
      } catch {
        return false;
      }
    },
    kit: (secret: string) => (request: ReceivedRequest) => isBelieved(request, secret),
    plain: (secret: string) => (request: ReceivedRequest) =>
      createHmac("sha256", secret).update(request.rawBody).digest("hex") ===
      request.headers["x-webhook-signature"],
  };

  it("is accepted with the old or the new one until the overlap ends, and then with the new one alone", async () => {
    arrived = 0;
    const old = customer.secret;
    const webhook = `/webhooks/${webhookId}`;
    const { public_key: oldKey } = await customer.api.must("PATCH", webhook, { ed25519: true });
    const before = await notify(5);
    const rotating = customer.api.post(`/webhooks/${webhookId}/rotate-secret`, {
      overlap_hours: 1,
    });
    const { secret: fresh, public_key: freshKey } = await rotating;
    const both = { public_key: oldKey, next_public_key: freshKey };
    expect(await customer.api.get("/webhooks")).toMatchObject(both);
    const during = await notify(10);
    await customer.api.post(`${webhook}/rotate-secret/finish`);
    const one = { public_key: freshKey, next_public_key: null };
    expect(await customer.api.get("/webhooks")).toMatchObject(one);
    const after = await notify(5);

    expect(before.every(believedBy.library(old))).toBe(true);
    for (const secret of [old, fresh]) expect(during.every(believedBy.library(secret))).toBe(true);
    for (const key of [old, fresh, oldKey, freshKey])
      expect(during.every(believedBy.kit(key))).toBe(true);
    expect(before.every(believedBy.kit(oldKey)) && after.every(believedBy.kit(freshKey))).toBe(
      true,
    );
    expect(before.some(believedBy.kit(freshKey)) || after.some(believedBy.kit(oldKey))).toBe(false);
    expect(during.every(believedBy.plain(old)), "the plain header stays with the old secret").toBe(
      true,
    );
    expect(after.every(believedBy.library(fresh)) && after.every(believedBy.plain(fresh))).toBe(
      true,
    );
    expect(after.some(believedBy.library(old)) || after.some(believedBy.plain(old))).toBe(false);
  });

  it("changes over by itself when the overlap is over", async () => {
    arrived = 0;
    const webhook = `/webhooks/${webhookId}`;
    const { public_key: oldKey } = await customer.api.must("PATCH", webhook, { ed25519: true });
    const overlap = { overlap_hours: 1 };
    const { secret: fresh, public_key: freshKey } = await customer.api.post(
      `${webhook}/rotate-secret`,
      overlap,
    );
    expect((await notify(1)).every(believedBy.plain(customer.secret))).toBe(true);
    // The database's clock is the one that counts; an hour passes by moving the end.
    await daemon.db.$executeRaw`UPDATE webhook SET overlap_ends_at = now() - interval '1 second'`;
    const after = await notify(1);
    expect(after.every(believedBy.plain(fresh)) && after.every(believedBy.kit(freshKey))).toBe(
      true,
    );
    expect(after.some(believedBy.kit(oldKey))).toBe(false);
    const shown = { public_key: freshKey, next_public_key: null };
    expect(await customer.api.get("/webhooks")).toMatchObject(shown);
  });

  it("can be tried out: a test of any event notifies at once, also while inactive, and is limited to ten a minute", async () => {
    const test = (body?: { event: string }) =>
      customer.api.call("POST", `/webhooks/${webhookId}/test`, body);
    await customer.api.must("PATCH", `/webhooks/${webhookId}`, { is_active: false });
    const { status, body } = await test();
    expect([status, body.data.delivered]).toEqual([200, true]);
    const [request] = world.receiver.requests;
    expect(request && believedBy.library(customer.secret)(request)).toBe(true);
    expect(JSON.parse(request?.rawBody.toString() ?? "")).toMatchObject({
      event: "webhook.test",
      data: { status: "test" },
    });

    const [one, ...others] = keysOf(notificationEvents).filter((event) => event !== testEvent);
    world.receiver.answerStatuses(500);
    expect((await test({ event: one ?? "" })).body.data).toMatchObject({
      delivered: false,
      error: "withheld",
      status_code: null,
    });
    const health = await customer.api.get("/webhooks");
    expect(health).toMatchObject({ consecutive_failures: 0, last_success_at: null });
    expect((await test({ event: "transaction.lost" })).status).toBe(400);
    for (const event of others)
      expect((await test({ event })).body.data).toMatchObject({ delivered: true });
    const said = world.receiver.requests.map(({ rawBody }) => JSON.parse(rawBody.toString()));
    expect(said.map(({ event }) => event)).toEqual([testEvent, one, ...others]);
    expect(new Set(said.map(({ data }) => data.blockchain))).toEqual(new Set(["test"]));
    expect(world.receiver.requests.every(believedBy.library(customer.secret))).toBe(true);
    const limited = await test();
    expect([limited.status, limited.body.error.code, limited.headers.get("retry-after")]).toEqual([
      429,
      "rate_limited",
      "60",
    ]);
  });
});

function isBelieved({ rawBody, headers }: ReceivedRequest, secret: string): boolean {
  try {
    verify(rawBody, headers, secret);
    return true;
  } catch {
    return false;
  }
}
