import { afterEach, expect, it } from "vitest";
import { payer, shownWallet as wallet } from "../support/chain/cast.ts";
import { overTcp } from "../support/ledger/databases.ts";
import { createCustomer } from "../support/process/customer.ts";
import { startDaemon } from "../support/process/daemon.ts";
import { startTcpProxy } from "../support/process/tcp-proxy.ts";
import { createResources } from "../support/resources.ts";
import { waitFor } from "../support/wait-for.ts";
import { deploymentIn, eachWorld } from "../support/world.ts";

const world = eachWorld();

/** Ended before the world that they need. */
const resources = createResources();
afterEach(() => resources.end());

const timeoutMs = 40_000;

/** A process that watches, and another one that serves and hears of it through a proxy. */
async function startBoth() {
  const { settings, ...keys } = deploymentIn(world);
  const start = (roles: string, environment: Record<string, string> = {}) =>
    resources.open(startDaemon({ ...keys, settings: { ...settings, roles } }, environment), (one) =>
      one.stop(),
    );
  const direct = overTcp(world.database.url);
  const proxy = await resources.open(startTcpProxy(Number(direct.port)), (one) => one.stop());
  direct.host = `127.0.0.1:${proxy.port}`;
  await start("watcher");
  const api = await start("api", { DATABASE_DIRECT_URL: direct.href });
  const of = { blockchain: "anvil", addresses: [wallet], receiver: null };
  const { key } = await createCustomer({ ...api, ...of });
  const headers = { "x-api-key": key };
  const ask = (query: string, more: Record<string, string> = {}) =>
    fetch(`${api.url}/notifications/feed?${query}`, { headers: { ...headers, ...more } });
  const metrics = async () => (await fetch(`${api.url}/metrics`)).text();
  const isHeld = (count: number) =>
    waitFor(async () => (await metrics()).includes(`chainbell_api_open_streams ${count}\n`), {
      what: `${count} held requests`,
      timeoutMs,
    });
  return { api, proxy, ask, isHeld };
}

const pay = (amountAtomic: bigint) =>
  world.anvil.sendNative({ from: payer, to: wallet, amountAtomic });

const amountsIn = (text: string) =>
  text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line).data.amount);

it("what another process writes answers who waits, heard or not, and a stop answers the rest", async () => {
  const { api, proxy, ask, isHeld } = await startBoth();
  const first = ask("wait=30");
  await isHeld(1);
  await pay(1n);
  const heard = await first;
  expect(amountsIn(await heard.text())).toEqual(["0.000000000000000001"]);
  const cursor = heard.headers.get("chainbell-cursor");

  const stream = await ask(`after=${cursor}`, { accept: "text/event-stream" });
  let streamed = "";
  const reading = (async () => {
    const decoder = new TextDecoder();
    for await (const chunk of stream.body ?? [])
      streamed += decoder.decode(chunk, { stream: true });
  })();
  await isHeld(1);
  await pay(2n);
  await waitFor(() => streamed.includes("0.000000000000000002"), { what: "the event", timeoutMs });

  // Nobody tells this process any more, and it cannot listen again.
  proxy.allow(0);
  const seen = /id: (\S+)\ndata: .*\n\n$/.exec(streamed)?.[1];
  const unheard = ask(`wait=30&after=${seen}`);
  await isHeld(2);
  await pay(3n);
  const answered = await unheard;
  expect(amountsIn(await answered.text())).toEqual(["0.000000000000000003"]);
  await waitFor(() => streamed.includes("0.000000000000000003"), { what: "the event", timeoutMs });

  const last = ask(`wait=30&after=${answered.headers.get("chainbell-cursor")}`);
  await isHeld(2);
  await api.stop();
  expect([(await last).status, await (await last).text()]).toEqual([200, ""]);
  await reading;
});
