import { expect, it } from "vitest";
import { payer } from "../support/chain/cast.ts";
import { runSql } from "../support/ledger/databases.ts";
import { createCustomer, verified } from "../support/process/customer.ts";
import { spawnDaemon } from "../support/process/daemon.ts";
import { waitFor, waitForCount } from "../support/wait-for.ts";
import { deploymentIn, eachWorld } from "../support/world.ts";

const world = eachWorld();
const [a, b] = [
  "0x00000000000000000000000000000000000A11cE",
  "0x0000000000000000000000000000000000000B0b",
];
const deposits = 5;

it("keeps the order of each wallet while the receiver fails for one of them, and across a crash", async () => {
  const { anvil, receiver } = world;
  const deployment = deploymentIn(world);
  // A second attempt soon, and none that is the last while a busy machine takes its time.
  const scheduleMs = Array.from({ length: 30 }, (_, index) => (index < 3 ? 1_000 : 5_000));
  const settings = { ...deployment.settings, scheduleMs };
  const first = await spawnDaemon({ ...deployment, settings });
  const { api, secret } = await createCustomer({
    ...first,
    blockchain: "anvil",
    addresses: [a, b],
    receiver,
  });
  await api.post("/webhooks", { url: receiver.url, order: "wallet" });
  let failsFor: string | null = a;
  const [tried, accepted]: [Map<string, number[]>, Map<string, number[]>] = [new Map(), new Map()];
  receiver.answerAlways({
    kind: "handler",
    handle: (received, response) => {
      const { sequence, data } = verified(received, secret);
      const isAccepted = data.toAddress !== failsFor;
      tried.set(data.toAddress, [...(tried.get(data.toAddress) ?? []), sequence]);
      if (isAccepted)
        accepted.set(data.toAddress, [...(accepted.get(data.toAddress) ?? []), sequence]);
      response.writeHead(isAccepted ? 200 : 500).end();
    },
  });
  for (let sent = 0; sent < deposits; sent += 1) {
    await anvil.sendNative({ from: payer, to: a, amountAtomic: BigInt(sent + 1) });
    await anvil.sendNative({ from: payer, to: b, amountAtomic: BigInt(sent + 1) });
  }
  await waitForCount(() => accepted.get(b)?.length ?? 0, deposits, {
    what: "all of the wallet that is accepted",
    timeoutMs: 30_000,
  });
  await waitForCount(() => tried.get(a)?.length ?? 0, 2, {
    what: "a second attempt for the other",
    timeoutMs: 30_000,
  });
  // Only the oldest of the wallet that fails was tried.
  expect(new Set(tried.get(a)).size).toBe(1);
  // The last outcome of the wallet that goes on may not be recorded yet.
  await waitFor(async () => (await api.get("/webhooks")).lines.waiting === 1, {
    what: "the one wallet that waits",
    timeoutMs: 30_000,
  });

  await first.kill();
  await runSql(
    world.database.url,
    "UPDATE delivery SET claim_expires_at = claim_expires_at - interval '1 minute' WHERE claim_token IS NOT NULL",
  );
  failsFor = null;
  const second = await spawnDaemon({ ...deployment, settings });
  try {
    await waitForCount(() => new Set(accepted.get(a)).size, deposits, {
      what: "all of the other wallet",
      timeoutMs: 60_000,
    });
  } finally {
    expect(await second.stop()).toBe(0);
  }
  for (const sequences of accepted.values())
    expect(sequences).toEqual([...sequences].sort((x, y) => x - y));
});
