import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Webhook } from "standardwebhooks";
import { expect, onTestFinished, test } from "vitest";
import { openChannels } from "../../../src/app/alerts/channels.ts";
import { createSetup } from "../../../src/app/setup/setup.ts";
import { byteFiles } from "../../../src/bin/cli/byte-files.ts";
import { usualPolicy } from "../../../src/domain/alerts/decide.ts";
import { messageOf } from "../../../src/domain/alerts/message.ts";
import { startMailServer } from "../../support/delivery/mail-server.ts";
import { startReceiver } from "../../support/delivery/receiver.ts";
import { eachTest } from "../../support/each-test.ts";
import { quiet } from "../../support/quiet.ts";

const receiver = eachTest(startReceiver, (one) => one.stop());
const login = { user: "chain bell", pass: "p@ss/word-9f2c71", isSecure: false };
const mail = eachTest(
  () => startMailServer(login),
  (one) => one.stop(),
);

const secret = `whsec_${Buffer.alloc(32, 7).toString("base64")}`;
const addresses = { from: "chainbell@example.com", to: ["ops@example.com", "night@example.com"] };

/**
 * What `alert test` answers of a configuration, with these secrets in its environment, by channel.
 */
async function tryAlerts(alerts: object, env: Record<string, string> = {}) {
  const folder = await mkdtemp(join(tmpdir(), "chainbell-alerts-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  await writeFile(join(folder, "chainbell.yaml"), JSON.stringify({ alerts }));
  await writeFile(join(folder, "mail"), `${mail.url}\n`);
  const tried = await createSetup(env, folder, byteFiles, () => quiet).tryAlerts();
  return Object.fromEntries(tried.map(({ channel, ...one }) => [channel, one]));
}

test("each channel gets the test, signed as notifications are where there is a secret", async () => {
  receiver.answerAlways({ kind: "status", status: 200, body: "thank\nyou" });
  const tried = await tryAlerts(
    {
      webhook: { url: receiver.url.replace("//", "//ann:b%40b@"), secret },
      slack: { url: `http://127.0.0.1:${receiver.port}/slack` },
      smtp: { url: `\${CHAINBELL_ALERTS_SMTP_URL}`, ...addresses },
    },
    { CHAINBELL_ALERTS_SMTP_URL_FILE: "mail" },
  );
  expect(tried).toEqual({
    webhook: { taken: true, answer: "200 thank you" },
    slack: { taken: true, answer: "200 thank you" },
    smtp: { taken: true, answer: expect.stringMatching(/^250 /) },
  });
  const hook = await receiver.waitFor(({ path }) => path === "/hook");
  expect(hook.headers.authorization).toBe(`Basic ${Buffer.from("ann:b@b").toString("base64")}`);
  const body = hook.rawBody.toString();
  const signed = Object.fromEntries(
    ["webhook-id", "webhook-timestamp", "webhook-signature"].map((name) => [
      name,
      String(hook.headers[name]),
    ]),
  );
  expect(new Webhook(secret).verify(body, signed)).toMatchObject({
    event: "alerts",
    id: signed["webhook-id"],
    alerts: [{ name: "ChainbellTest", status: "began", subject: null }],
  });
  const slack = await receiver.waitFor(({ path }) => path === "/slack");
  expect(JSON.parse(slack.rawBody.toString())).toEqual({
    text: expect.stringMatching(/^\*Chainbell: 1 alert, ChainbellTest\*\n/),
  });
  await mail.waitForCount(1);
  expect(mail.mails[0]?.to).toEqual(addresses.to);
  expect(mail.mails[0]?.text).toContain("Subject: Chainbell: 1 alert, ChainbellTest");
});

test("what a channel does not take says why, without any secret, and the others are served", async () => {
  const unknown = await startMailServer({ ...login, isSecure: true });
  onTestFinished(unknown.stop);
  receiver.answerNext({
    kind: "status",
    status: 302,
    headers: { location: `http://127.0.0.1:${receiver.port}/elsewhere` },
  });
  const webhook = { url: receiver.url };
  const wrongLogin = mail.url.replace("word", "word-wrong");
  expect(await tryAlerts({ webhook, smtp: { url: wrongLogin, ...addresses } })).toEqual({
    webhook: { taken: false, answer: "It answered 302" },
    smtp: { taken: false, answer: expect.stringContaining("no login for [redacted]") },
  });
  expect(receiver.requests.map(({ path }) => path)).toEqual(["/hook"]);
  expect(await tryAlerts({ webhook, smtp: { url: unknown.url, ...addresses } })).toEqual({
    webhook: { taken: true, answer: "200" },
    smtp: { taken: false, answer: expect.stringMatching(/certificate/) },
  });
  expect([...mail.mails, ...unknown.mails]).toEqual([]);
});

test("a text for Slack has the worst alerts of many, no longer than Discord takes, and says how many are left", async () => {
  const alerts = (
    kind: "ChainbellPriceStale" | "ChainbellChainStopped",
    news: "began" | "resolved",
  ) =>
    Array.from({ length: 20 }, (_, index) => ({
      kind,
      news,
      subject: `chain-${index}`,
      summary: `<${"word ".repeat(20)}>`,
      sinceMs: 0,
    }));
  const [channel] = openChannels(
    { policy: usualPolicy, webhook: null, slack: { url: receiver.url }, smtp: null },
    "test",
  );
  const message = messageOf(
    [
      ...alerts("ChainbellChainStopped", "resolved"),
      ...alerts("ChainbellPriceStale", "began"),
      ...alerts("ChainbellChainStopped", "began"),
    ],
    { id: "1", installation: "one", atMs: 0 },
  );
  await channel?.send(message, new AbortController().signal);
  const { text } = JSON.parse((await receiver.waitFor(() => true)).rawBody.toString());
  expect(text.length).toBeLessThanOrEqual(2_000);
  const shown = text.match(/^\[.*$/gm);
  expect(shown.length).toBeGreaterThan(5);
  for (const line of shown) expect(line).toMatch(/^\[critical\] ChainbellChainStopped .* began/);
  expect(text).toContain(`\n${60 - shown.length} more: see \`chainbell alert list\`.`);
  expect(text).toContain("40 alerts, 20 resolved");
});

test("a channel that says nothing is left alone once the process stops", async () => {
  receiver.answerAlways({ kind: "hang" });
  const hung = createServer();
  const connected = once(hung, "connection");
  await new Promise<void>((listening) => hung.listen(0, "127.0.0.1", listening));
  onTestFinished(() => void hung.close());
  const { port } = hung.address() as AddressInfo;
  const channels = openChannels(
    {
      policy: usualPolicy,
      webhook: { url: receiver.url, secret: null },
      slack: null,
      smtp: { url: `smtp://127.0.0.1:${port}`, ...addresses },
    },
    "test",
  );
  const stopping = new AbortController();
  const message = messageOf([], { id: "1", installation: "one", atMs: 0 });
  const sending = channels.map((channel) => channel.send(message, stopping.signal));
  const ended = Promise.allSettled(sending);
  const [socket] = await connected;
  await receiver.waitForCount(1);
  stopping.abort();
  const aborted = { status: "rejected", reason: { name: "AbortError" } };
  expect(await ended).toMatchObject([aborted, aborted]);
  socket.destroy();
});

test("a configuration without a channel has nothing to try", async () => {
  await expect(createSetup({}, tmpdir(), byteFiles, () => quiet).tryAlerts()).rejects.toMatchObject(
    {
      code: "invalid_configuration",
    },
  );
});
