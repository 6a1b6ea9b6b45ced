import { createRequire } from "node:module";
import { afterEach, expect, it } from "vitest";
import { payer, shownWallet as wallet } from "../support/chain/cast.ts";
import { createCustomer } from "../support/process/customer.ts";
import { startDaemon } from "../support/process/daemon.ts";
import { createResources } from "../support/resources.ts";
import { startCollector } from "../support/telemetry/collector.ts";
import { deploymentIn, eachWorld } from "../support/world.ts";

const world = eachWorld();

/** Ended before the world that they need. */
const resources = createResources();
afterEach(() => resources.end());

/**
 * Files of OpenTelemetry that this process has loaded so far, but for its API, which prom-client
 * loads.
 */
const loaded = () =>
  Object.keys(createRequire(import.meta.url).cache).filter((path) =>
    /@opentelemetry[\\/](?!api[\\/])/.test(path),
  );

/** A collector, and one deployment, whose daemons are started one after another. */
async function deploy() {
  const collector = await resources.open(startCollector(), (one) => one.stop());
  const { settings, ...deployment } = deploymentIn(world);
  const retrying = { ...deployment, settings: { ...settings, scheduleMs: [0, 50, 50] } };
  const start = (environment: Record<string, string>) =>
    resources.open(startDaemon(retrying, environment), (one) => one.stop());
  return { collector, start };
}

const watched = { blockchain: "anvil", addresses: [wallet] };
const pay = () => world.anvil.sendNative({ from: payer, to: wallet, amountAtomic: 5n });

it("without an endpoint nothing is sent or loaded; and one that hangs keeps neither a deposit nor the daemon's end", async () => {
  const { collector, start } = await deploy();
  const { receiver } = world;
  const without = await start({ OTEL_SERVICE_NAME: "chainbell" });
  await createCustomer({ ...without, ...watched, receiver });
  await pay();
  await receiver.waitForCount(1);
  await without.stop();
  expect([collector.requests, loaded()]).toEqual([[], []]);

  collector.answerAlways({ kind: "hang" });
  const hanging = await start({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint });
  await pay();
  await receiver.waitForCount(2);
  await hanging.stop();
  expect(collector.requests).not.toEqual([]);
});

it("a deposit is one trace, from its block to the attempt that was heard", async () => {
  world.receiver.answerStatuses(500);
  const { collector, start } = await deploy();
  const daemon = await start({
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint,
    OTEL_EXPORTER_OTLP_HEADERS: "authorization=Bearer%20abcdefgh",
    OTEL_SERVICE_NAME: "chainbell-test",
  });
  const customer = await createCustomer({ ...daemon, ...watched, receiver: world.receiver });
  await pay();
  await world.receiver.waitForCount(2);
  const [transaction] = await customer.api.get("/transactions");
  const [stored] = await daemon.db.delivery.findMany();
  await daemon.stop();

  expect(loaded()).not.toEqual([]);
  for (const { headers } of collector.requests)
    expect(headers.authorization).toBe("Bearer abcdefgh");
  const spans = collector.spans();
  const traceId = transaction.id.replaceAll("-", "");
  expect(new Set(spans.map((span) => `${span.service} ${span.traceId}`))).toEqual(
    new Set([`chainbell-test ${traceId}`]),
  );
  const [root, ...parts] = spans.toSorted(
    (one, other) => Number(one.parentId !== null) - Number(other.parentId !== null),
  );
  expect(root).toMatchObject({
    name: "chain.block",
    parentId: null,
    status: { code: 0 },
    attributes: {
      "chainbell.chain": "anvil",
      "chainbell.block.number": 1,
      "chainbell.recorded": 1,
      "chainbell.transaction.id": transaction.id,
    },
  });
  expect(new Set(parts.map(({ parentId }) => parentId))).toEqual(new Set([root?.id]));

  const way = (name: string, attempt?: number) =>
    parts.filter((span) => span.name === name && span.attributes["chainbell.attempt"] === attempt);
  const inOrder = [
    ...["block.read", "block.prove", "block.commit"].flatMap((name) => way(name)),
    ...[1, 2].flatMap((attempt) =>
      ["delivery.wait", "delivery.queue", "webhook.attempt"].flatMap((name) => way(name, attempt)),
    ),
  ];
  expect(inOrder).toHaveLength(9);
  expect(way("block.confirm")).toHaveLength(1);
  expect(parts).toHaveLength(10);
  // PostgreSQL rounds to the millisecond, JavaScript cuts off.
  for (const [index, { startMs }] of inOrder.slice(1).entries())
    expect(startMs).toBeGreaterThanOrEqual((inOrder[index]?.startMs ?? 0) - 1);
  expect(way("webhook.attempt", 1)).toMatchObject([
    {
      status: { code: 2, message: "status 500" },
      attributes: { "chainbell.outcome": "retry", "http.response.status_code": 500 },
    },
  ]);
  expect(way("webhook.attempt", 2)).toMatchObject([
    {
      status: { code: 0 },
      attributes: {
        "chainbell.outcome": "accepted",
        "chainbell.delivery.id": stored?.id,
        "chainbell.notification.id": stored?.notificationId,
        "chainbell.webhook.id": customer.webhookId,
        "chainbell.business.id": customer.businessId,
      },
    },
  ]);
  // Nothing of where it goes, whom it is of and what it says.
  const sent = collector.requests
    .map(({ rawBody }) => rawBody.toString())
    .join("")
    .toLowerCase();
  for (const secret of [wallet, "/hook", customer.secret, customer.key, "127.0.0.1"])
    expect(sent).not.toContain(secret.toLowerCase());
});
