import { afterEach, beforeEach, expect, test } from "vitest";
import type { AlertMessage } from "../../src/domain/alerts/message.ts";
import { eachTest } from "../support/each-test.ts";
import { openDatabase } from "../support/ledger/database.ts";
import { runSql } from "../support/ledger/databases.ts";
import { spawnDaemon } from "../support/process/daemon.ts";
import type { DaemonProcess } from "../support/process/daemon-process.ts";
import type { Deployment } from "../support/process/deployment.ts";
import { waitFor } from "../support/wait-for.ts";
import { deploymentIn, eachWorld } from "../support/world.ts";

const world = eachWorld();
const db = eachTest(
  async () => openDatabase({ databaseUrl: world.database.url, poolSize: 1 }),
  (opened) => opened.$disconnect(),
);
/** What is seen at one look is said at the next one, half a minute later. */
const timeoutMs = 120_000;

let deployment: Deployment;
let processes: DaemonProcess[];

beforeEach(() => {
  processes = [];
  const { receiver } = world;
  deployment = deploymentIn(world);
  deployment.settings.roles = "api";
  deployment.settings.file = {
    alerts: {
      webhook: { url: receiver.url },
      slack: { url: `http://127.0.0.1:${receiver.port}/slack` },
      for: { ChainbellNoDispatcher: "0s", ChainbellChainNotWatched: "15s" },
    },
  };
});

afterEach(async () => {
  await Promise.all(processes.map((one) => one.kill()));
});

async function start(): Promise<DaemonProcess> {
  const daemon = await spawnDaemon(deployment);
  processes.push(daemon);
  return daemon;
}

const sentTo = (path: string) => world.receiver.requests.filter((request) => request.path === path);

const received = () =>
  sentTo("/hook").map(({ rawBody }) => {
    const { id, alerts } = JSON.parse(rawBody.toString()) as AlertMessage;
    return { id, said: alerts.map(({ name, status }) => `${name} ${status}`) };
  });

/** Of each message, whether each channel has taken it. */
async function recorded(): Promise<string[]> {
  const rows = await db.alertMessage.findMany({ orderBy: [{ id: "asc" }, { channel: "asc" }] });
  return rows.map(({ channel, sentAt }) => `${channel} ${sentAt !== null}`);
}

test("a killed process leaves what it was sending and what it had seen to the next, which repeats nothing else", async () => {
  const { receiver } = world;
  // The first message stays without an answer on one of its channels.
  receiver.answerAlways({
    kind: "handler",
    handle({ path }, response) {
      if (path === "/hook" && sentTo("/hook").length === 1) return;
      response.writeHead(200).end();
    },
  });
  const holder = await start();
  await waitFor(
    async () => sentTo("/hook").length === 1 && (await recorded())[0] === "slack true",
    { what: "a message that one channel has taken and the other not answered", timeoutMs },
  );
  await start();
  await holder.kill();
  expect(await recorded()).toEqual(["slack true", "webhook false"]);

  // The dead process's lease has to end first: the minute and a half that this takes is taken off.
  await runSql(world.database.url, "UPDATE lease SET expires_at = now() WHERE name = 'alerts'");
  const all = ["slack true", "webhook true", "slack true", "webhook true"];
  await waitFor(async () => (await recorded()).join() === all.join(), {
    what: "both messages to be taken by both channels",
    timeoutMs,
  });
  const [cut, again, next] = received();
  expect(cut?.said).toEqual(["ChainbellNoDispatcher began"]);
  expect(again).toEqual(cut);
  expect(next?.said).toEqual(["ChainbellChainNotWatched began"]);
  expect(next?.id).not.toBe(cut?.id);
  expect([sentTo("/hook").length, sentTo("/slack").length]).toEqual([3, 2]);
});
