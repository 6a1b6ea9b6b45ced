import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { payer, shownWallet as wallet } from "../support/chain/cast.ts";
import type { ReceivedRequest } from "../support/delivery/receiver.ts";
import { type Customer, createCustomer } from "../support/process/customer.ts";
import { startDaemon } from "../support/process/daemon.ts";
import { waitFor } from "../support/wait-for.ts";
import { deploymentIn, eachWorld } from "../support/world.ts";

/** Headers that HTTP itself adds. */
const ofHttp = new Set(["host", "connection", "content-length"]);
const signatures = ["x-webhook-signature", "x-webhook-signature-next", "webhook-signature"];

type Header = { name: string; value: string | null };
type Sent = {
  url: string;
  request: { headers: Header[]; is_secret_gone: boolean } | null;
};

describe("the request of an attempt, made again", () => {
  const world = eachWorld();
  let daemon: Awaited<ReturnType<typeof startDaemon>>;
  let customer: Customer;
  let webhook: string;

  beforeEach(async () => {
    daemon = await startDaemon(deploymentIn(world));
    customer = await createCustomer({
      ...daemon,
      blockchain: "anvil",
      addresses: [wallet],
      receiver: world.receiver,
    });
    webhook = `/webhooks/${customer.webhookId}`;
  });
  afterEach(() => daemon.stop());

  let paid = 0n;
  /** The request of the next notification, as it came. */
  async function notified(): Promise<ReceivedRequest> {
    const { receiver, anvil } = world;
    receiver.forget();
    paid += 1n;
    await anvil.sendNative({ from: payer, to: wallet, amountAtomic: paid });
    const [request] = await receiver.waitForCount(1);
    if (request === undefined) throw new Error("One has come.");
    return request;
  }

  async function shownOf({ rawBody }: ReceivedRequest): Promise<Sent> {
    const { id } = JSON.parse(rawBody.toString());
    const read = async () => {
      const { attempts } = await customer.api.get(`/notifications/${id}`);
      if (attempts.length > 0) return attempts[0];
      throw new Error("It is not on record yet.");
    };
    return waitFor(read, { what: "the attempt to be on record", timeoutMs: 30_000 });
  }

  /** What was received, with those values masked. */
  function masked({ headers }: ReceivedRequest, names: readonly string[]) {
    const entries = Object.entries(headers).filter(([name]) => !ofHttp.has(name));
    return Object.fromEntries(
      entries.map(([name, value]) => [name, names.includes(name) ? null : value]),
    );
  }
  const headersIn = ({ request }: Sent) =>
    Object.fromEntries((request?.headers ?? []).map(({ name, value }) => [name, value]));

  it("has every header as it came, while its secret is there", async () => {
    await customer.api.must("PATCH", webhook, { ed25519: true });
    const { url } = await customer.api.must("PATCH", webhook, {
      headers: { authorization: "Bearer top-secret", "x-shop": "Lisbon" },
    });
    const first = await notified();
    const own = ["authorization", "x-shop"];
    const shown = await shownOf(first);
    expect(shown).toMatchObject({ url, request: { is_secret_gone: false } });
    expect(headersIn(shown)).toEqual(masked(first, own));
    expect(JSON.stringify(shown)).not.toMatch(/top-secret|Lisbon/);

    // Another address and other headers belong to the attempts that follow.
    const other = `${world.receiver.url}/other`;
    await customer.api.must("PATCH", webhook, { url: other, headers: { "x-till": "2" } });
    const second = await notified();
    expect(await shownOf(first)).toEqual(shown);
    expect(await shownOf(second)).toMatchObject({ url: other });
    expect(headersIn(await shownOf(second))).toEqual(masked(second, ["x-till"]));

    await customer.api.post(`${webhook}/rotate-secret`, { overlap_hours: 1 });
    const third = await notified();
    expect(headersIn(await shownOf(third))).toEqual(masked(third, ["x-till"]));
    expect(third.headers).toHaveProperty("x-webhook-signature-next");
    expect(await shownOf(first)).toEqual(shown);

    await customer.api.post(`${webhook}/rotate-secret/finish`);
    for (const [request, names] of [
      [first, own],
      [third, ["x-till"]],
    ] as const) {
      const now = await shownOf(request);
      expect(now).toMatchObject({ request: { is_secret_gone: true } });
      expect(headersIn(now)).toEqual(masked(request, [...names, ...signatures]));
    }
    const fourth = await notified();
    expect(headersIn(await shownOf(fourth))).toEqual(masked(fourth, ["x-till"]));
  });

  it("is not made up where an earlier release made the attempt", async () => {
    const first = await notified();
    expect((await shownOf(first)).request).not.toBeNull();
    await daemon.db.$executeRaw`UPDATE attempt SET webhook_version = NULL`;
    expect(await shownOf(first)).toMatchObject({ request: null });
  });
});
