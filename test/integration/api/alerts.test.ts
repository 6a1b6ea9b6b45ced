import { expect, test } from "vitest";
import { writeReading } from "../../../src/ledger/chain/chain-reading.ts";
import { openTestApi } from "../../support/api/test-api.ts";
import { plainReading } from "../../support/chain/reading.ts";
import { eachTest } from "../../support/each-test.ts";

const api = eachTest(openTestApi, (one) => one.stop());

type Shown = { kind: string };

const read = async () => (await api.admin("GET", "/alerts")).json().data;
const find = async (kind: string) =>
  (await read()).alerts.find((alert: Shown) => alert.kind === kind) ?? null;

test("what holds is listed with what it is about and since when, the worst first", async () => {
  const webhook = (await api.post("/webhooks", { url: "https://shop.example/hook" })).json().data;
  await api.admin("POST", `/webhooks/${webhook.id}/disable`);
  await writeReading(api.db, "ethereum", { ...plainReading, held: null });
  await api.db
    .$executeRaw`UPDATE chain SET stopped_code = 'wrong_genesis', stopped_reason = 'another',
    stopped_at = '2026-01-31T12:00:00Z' WHERE name = 'ethereum'`;
  const { alerts } = await read();
  expect(alerts.map(({ kind }: Shown) => kind)).toEqual([
    "ChainbellChainNotWatched",
    "ChainbellChainStopped",
    "ChainbellNoDispatcher",
    "ChainbellWebhookDeactivated",
  ]);
  expect(alerts[1]).toMatchObject({
    chain: "ethereum",
    since: "2026-01-31T12:00:00.000Z",
    values: { code: "wrong_genesis" },
    runbook: "docs/runbooks.md#chainbellchainstopped",
  });
  expect(alerts[3]).toMatchObject({
    values: { webhooks: 1 },
    webhooks: [
      {
        webhook_id: webhook.id,
        url: webhook.url,
        business_id: api.businessId,
        business_name: "Example Ltd",
      },
    ],
  });
  await api.admin("POST", `/webhooks/${webhook.id}/enable`);
  expect(await find("ChainbellWebhookDeactivated")).toBeNull();
});

test("the time at which the daemon noticed it is told where nothing else is known", async () => {
  expect(await find("ChainbellNoDispatcher")).toMatchObject({ since: null });
  await api.db.$executeRaw`INSERT INTO alert (kind, subject, summary, since, seen_at)
    VALUES ('ChainbellNoDispatcher', '', '', '2026-01-31T12:00:00Z', now())`;
  expect(await find("ChainbellNoDispatcher")).toMatchObject({ since: "2026-01-31T12:00:00.000Z" });
  await api.db.$executeRaw`UPDATE alert SET notified_at = now(), gone_since = now()`;
  expect(await find("ChainbellNoDispatcher")).toMatchObject({ since: null });
});

test("a channel that does not take what it is sent says why", async () => {
  expect((await read()).channels).toEqual([]);
  await api.db
    .$executeRaw`INSERT INTO alert_message (id, channel, message, failure, failure_code, failure_values)
    VALUES ('01900000-0000-7000-8000-000000000000', 'slack', '{}', 'HTTP 403', 'answered', '{"answer":"HTTP 403"}')`;
  const failed = { channel: "slack", sent_at: null, waiting: 1, failure: "HTTP 403" };
  expect((await read()).channels).toEqual([
    { ...failed, failure_code: "answered", failure_values: { answer: "HTTP 403" } },
  ]);
  // A row of the release before has the sentence alone.
  await api.db.$executeRaw`UPDATE alert_message SET failure_code = NULL, failure_values = NULL`;
  expect((await read()).channels).toEqual([{ ...failed, failure_code: null, failure_values: {} }]);
});
