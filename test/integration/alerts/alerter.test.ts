import { randomUUID } from "node:crypto";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { createOutage } from "../../../src/alerts/outage.ts";
import { alertOperators } from "../../../src/app/alerts/alert-operators.ts";
import { openChannels } from "../../../src/app/alerts/channels.ts";
import type { AlertSettings } from "../../../src/domain/alerts/alert-settings.ts";
import { usualPolicy } from "../../../src/domain/alerts/decide.ts";
import type { AlertMessage } from "../../../src/domain/alerts/message.ts";
import { Fault } from "../../../src/domain/fault.ts";
import { readChannelReports } from "../../../src/ledger/alerts/alert-messages.ts";
import { takeLease } from "../../../src/ledger/chain/lease.ts";
import { reportDispatcher } from "../../../src/ledger/deliveries/heartbeats.ts";
import { readInstallation } from "../../../src/ledger/installation/installation.ts";
import { createRedaction } from "../../../src/runtime/redaction.ts";
import { type ReceivedRequest, startReceiver } from "../../support/delivery/receiver.ts";
import { allTests, eachTest } from "../../support/each-test.ts";
import { openTestLedger } from "../../support/ledger/ledger-fixtures.ts";
import { quiet } from "../../support/quiet.ts";
import { createSkippingClock } from "../../support/skipping-clock.ts";
import { waitFor } from "../../support/wait-for.ts";

const ledger = allTests(openTestLedger, (one) => one.stop());
const receiver = eachTest(startReceiver, (one) => one.stop());

beforeEach(async () => {
  await ledger.db.$executeRaw`TRUNCATE alert, alert_message, dispatcher, lease`;
});

const minuteMs = 60_000;
const timeoutMs = 10_000;

const settings = (): AlertSettings => ({
  policy: usualPolicy,
  webhook: { url: receiver.url, secret: null },
  slack: { url: `http://127.0.0.1:${receiver.port}/slack` },
  smtp: null,
});

/** One process's alerter; each `look` is one, done. */
async function startProcess() {
  const counts = { looks: 0, sent: 0, failed: 0 };
  const log = {
    ...quiet,
    debug: (_fields: object, message: string) => {
      if (message === "alert.looked") counts.looks += 1;
    },
  };
  const alerter = alertOperators(
    {
      db: ledger.db,
      installation: await readInstallation(ledger.db),
      version: "1",
      log,
      redaction: createRedaction([]),
      metrics: {
        alertSent: (_channel, result) => {
          counts[result] += 1;
        },
      },
    },
    settings(),
  );
  onTestFinished(() => alerter.stop());
  await alerter.start();
  const looked = (count: number) =>
    waitFor(() => counts.looks >= count, { what: "a look", timeoutMs });
  await looked(1);
  return {
    counts,
    stop: alerter.stop,
    async look() {
      const before = counts.looks;
      alerter.wake();
      await looked(before + 1);
    },
  };
}

/** As if so much time had passed since what is remembered. It was looked at all the time. */
async function pass(ms: number): Promise<void> {
  await ledger.db.$executeRaw`
    UPDATE alert SET since = since - ${ms}::float8 * interval '1 ms',
      notified_at = notified_at - ${ms}::float8 * interval '1 ms', gone_since = gone_since - ${ms}::float8 * interval '1 ms'`;
  await ledger.db
    .$executeRaw`UPDATE alert_message SET due_at = due_at - ${ms}::float8 * interval '1 ms'`;
}

/** From now on a process sends, and one watches the chain. */
async function mend(): Promise<void> {
  await reportDispatcher(ledger.db, { id: randomUUID(), slots: 1 });
  await ledger.db.dispatcher.updateMany({ data: { seenAt: new Date(Date.now() + 60 * minuteMs) } });
  const lease = { name: "watcher:ethereum", holder: randomUUID(), ttlMs: 60 * minuteMs };
  await takeLease(ledger.db, lease);
}

const breakDown = async () => {
  await ledger.db.lease.deleteMany({ where: { name: "watcher:ethereum" } });
};

const sentTo = (path: string) => receiver.requests.filter((request) => request.path === path);
const saidIn = ({ rawBody }: ReceivedRequest) =>
  (JSON.parse(rawBody.toString()) as AlertMessage).alerts.map(({ name, status }) => [name, status]);

test("what holds for long is one message on each channel, whoever looks; what comes and goes is one", async () => {
  const first = await startProcess();
  const second = await startProcess();
  await first.look();
  expect(receiver.requests).toEqual([]);

  await pass(2 * minuteMs);
  for (const one of [first, second, first]) await one.look();
  expect(sentTo("/hook").map(saidIn)).toEqual([
    [
      ["ChainbellChainNotWatched", "began"],
      ["ChainbellNoDispatcher", "began"],
    ],
  ]);
  expect(sentTo("/slack")).toHaveLength(1);
  expect([first.counts.sent, second.counts.sent]).toEqual([2, 0]);

  // Another process takes over, and knows what was said.
  await first.stop();
  await second.look();
  const third = await startProcess();
  await second.look();
  expect(receiver.requests).toHaveLength(2);

  await mend();
  await second.look();
  await pass(usualPolicy.resolveAfterMs - minuteMs);
  await breakDown();
  await second.look();
  await mend();
  await second.look();
  await third.look();
  expect(receiver.requests).toHaveLength(2);
  await pass(usualPolicy.resolveAfterMs);
  await second.look();
  expect(sentTo("/hook").slice(1).map(saidIn)).toEqual([
    [
      ["ChainbellChainNotWatched", "resolved"],
      ["ChainbellNoDispatcher", "resolved"],
    ],
  ]);
  expect(await ledger.db.alert.count()).toBe(0);
});

test("what lasts is said again after four hours, and not before", async () => {
  const process = await startProcess();
  await pass(2 * minuteMs);
  await process.look();
  await pass(usualPolicy.repeatMs - minuteMs);
  await process.look();
  expect(sentTo("/hook")).toHaveLength(1);
  await pass(minuteMs);
  await process.look();
  expect(sentTo("/hook").slice(1).map(saidIn)).toEqual([
    [
      ["ChainbellChainNotWatched", "lasts"],
      ["ChainbellNoDispatcher", "lasts"],
    ],
  ]);
});

test("a channel that fails is tried again later, and the others are served at once", async () => {
  let isDown = true;
  receiver.answerAlways({
    kind: "handler",
    handle: ({ path }, response) => {
      const fails = isDown && path === "/slack";
      response.writeHead(fails ? 500 : 200).end(fails ? "not now" : "");
    },
  });
  const process = await startProcess();
  await pass(2 * minuteMs);
  await process.look();
  await process.look();
  expect([sentTo("/hook").length, sentTo("/slack").length]).toEqual([1, 1]);
  expect(await readChannelReports(ledger.db)).toMatchObject([
    {
      channel: "slack",
      sentAt: null,
      waiting: 1,
      failure: "It answered 500 not now",
      failureCode: "answered",
      failureValues: { answer: "500 not now" },
    },
    { channel: "webhook", waiting: 0, failure: null, failureCode: null, failureValues: null },
  ]);

  isDown = false;
  await pass(minuteMs);
  await process.look();
  await process.look();
  expect([sentTo("/hook").length, sentTo("/slack").length]).toEqual([1, 2]);
  const [report] = await readChannelReports(ledger.db);
  expect(report).toMatchObject({ waiting: 0, failure: null, sentAt: expect.any(Date) });
  expect(process.counts).toMatchObject({ sent: 2, failed: 1 });
});

test("what no channel takes for a day is given up, and what was sent is forgotten after a week", async () => {
  receiver.answerAlways({ kind: "status", status: 500 });
  const process = await startProcess();
  await pass(2 * minuteMs);
  await process.look();
  expect(await ledger.db.alertMessage.count()).toBe(2);
  await ledger.db.$executeRaw`UPDATE alert_message SET created_at = now() - interval '25 hours'`;
  await process.look();
  expect(await ledger.db.alertMessage.count()).toBe(0);
});

describe("PostgreSQL that cannot be read", () => {
  const unreachable = () => Promise.reject(new Fault("database_unavailable", "It is gone."));

  test("is alerted by the process that looked last, and is over once it can be read", async () => {
    const clock = createSkippingClock();
    const { signal } = new AbortController();
    const ports = {
      channels: openChannels(settings(), "test"),
      installation: "one",
      onSent: () => {},

      redact: (text: string) => text,
      clock,
      log: quiet,
    };
    const [ours, others] = [createOutage(ports, usualPolicy), createOutage(ports, usualPolicy)];
    expect(await ours.around(async () => true, signal)).toBe(true);
    expect(await others.around(async () => false, signal)).toBe(false);
    const look = async (at: () => Promise<boolean>) => {
      for (const one of [ours, others]) await one.around(at, signal).catch(() => {});
    };
    const lookEachMinute = async (minutes: number, at: () => Promise<boolean>) => {
      for (let minute = 0; minute < minutes; minute += 1) {
        clock.skip(minuteMs);
        await look(at);
      }
    };
    await look(unreachable);
    expect(receiver.requests).toEqual([]);
    // The channels fail at first.
    receiver.answerStatuses(500, 500);
    await lookEachMinute(4, unreachable);
    expect(sentTo("/hook").map(saidIn)).toEqual([
      [["ChainbellLedgerUnreadable", "began"]],
      [["ChainbellLedgerUnreadable", "began"]],
    ]);
    await lookEachMinute(7, async () => false);
    expect(sentTo("/hook").slice(2).map(saidIn)).toEqual([
      [["ChainbellLedgerUnreadable", "resolved"]],
    ]);
    expect(sentTo("/slack")).toHaveLength(3);
  });
});
