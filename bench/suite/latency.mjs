// From the announcement of a block to the notification of what is in it: ten blocks a second, five transfers each, one
// confirmation. The floor is a loop that hears of the same heads, asks for the logs and posts them, and stores nothing.
import { randomBytes } from "node:crypto";
import { encodeFunctionData, parseAbi } from "viem/utils";
import {
  demoTokenAddress,
  deployDemoToken,
  localAccount,
} from "../../dist/development/chain/demo-token.js";
import { median } from "../alternate.mjs";
import { startModule } from "../support/child.mjs";
import { openService, serve } from "../support/service.mjs";

const everyMs = 100;
const transfersPerBlock = 5;
const arrivalTimeoutMs = 30_000;
const wallets = Array.from({ length: 20 }, () => `0x${randomBytes(20).toString("hex")}`);
const mintAbi = parseAbi(["function mint(address to, uint256 amount)"]);

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

export async function run({ quick, say }) {
  const rounds = quick ? 1 : 3;
  const blocks = quick ? 10 : 200;
  const world = await openWorld();
  const figures = new Map(["loop", "redis", "postgres"].map((name) => [name, []]));
  try {
    for (let round = 1; round <= rounds; round += 1) {
      for (const [name, list] of figures) {
        const latency = await measure(world, { name: `${name}_${round}`, kind: name, blocks });
        list.push(latency);
        const [p50, p99] = [latency.p50, latency.p99].map((ms) => ms.toFixed(1));
        say(`round ${round} of ${rounds}: ${name} p50 ${p50} ms, p99 ${p99} ms`);
      }
    }
  } finally {
    await world.end();
  }
  return lines(figures, blocks);
}

function lines(figures, blocks) {
  const middle = (name, of) => median(figures.get(name).map((latency) => latency[of]));
  const goals = { redis: { p50: { atMost: 3 }, p99: { atMost: 5 } } };
  return ["redis", "postgres"].flatMap((queue) =>
    ["p50", "p99"].map((of) => ({
      name: `${of}, ${queue} queue`,
      unit: "ms",
      ours: middle(queue, of),
      baseline: middle("loop", of),
      peer: null,
      ratio: middle(queue, of) / middle("loop", of),
      goal: goals[queue]?.[of] ?? null,
      conditions: `${blocks} blocks, ten a second, ${transfersPerBlock} transfers each, one confirmation, websocket; baseline: newHeads, getLogs, POST`,
    })),
  );
}

const openWorld = async () => ({
  ...(await openService({
    blockTimeS: null,
    async deploy(anvil) {
      const deployed = deployDemoToken({ rpcUrl: anvil.rpcUrl });
      while ((await Promise.race([deployed, pause(50)])) === undefined)
        await anvil.batch([["evm_mine"]]);
    },
    receiver: { module: "head-to-bell.mjs", argsOf: ({ wsUrl }) => [wsUrl] },
  })),
  sent: 0,
});

async function measure(world, { name, kind, blocks }) {
  const { receiver } = world;
  const contender = kind === "loop" ? await startLoop(world) : await startOurs(world, name, kind);
  try {
    // Warm up: connections, plans, compiled code.
    await drive(world, 10);
    await receiver.ask("all");
    await drive(world, blocks);
    const { latencies } = await receiver.ask("all");
    const sorted = latencies.sort((a, b) => a - b);
    const at = (share) => sorted[Math.floor((sorted.length - 1) * share)];
    return { p50: at(0.5), p99: at(0.99) };
  } finally {
    await contender.stop();
  }
}

const startLoop = ({ anvil, receiver }) =>
  startModule("bare-loop.mjs", [anvil.wsUrl, demoTokenAddress(), receiver.said.port]);

const startOurs = (world, name, queue) =>
  serve(world, {
    ...{ name, queue, wallets },
    chain: { chain_id: 31_337, rpc: [world.anvil.wsUrl], confirmations: 0 },
    webhooks: { in_flight: 50 },
  });

/** Sends and mines at the pace, then waits until everything has arrived. */
async function drive(world, blocks) {
  const { anvil, receiver } = world;
  const beganAtMs = performance.now();
  for (let block = 0; block < blocks; block += 1) {
    await anvil.batch(Array.from({ length: transfersPerBlock }, () => transferOf(world.sent++)));
    const leftMs = beganAtMs + block * everyMs - performance.now();
    if (leftMs > 0) await pause(leftMs);
    await anvil.batch([["evm_mine"]]);
  }
  const giveUpAtMs = performance.now() + arrivalTimeoutMs;
  while ((await receiver.ask("count")).count < blocks * transfersPerBlock) {
    if (performance.now() > giveUpAtMs) throw new Error("not everything arrived");
    await pause(20);
  }
}

/** The nonce is named: the questions of one request are answered side by side. */
function transferOf(n) {
  const args = [wallets[n % wallets.length], BigInt(n + 1)];
  const data = encodeFunctionData({ abi: mintAbi, functionName: "mint", args });
  const nonce = `0x${n.toString(16)}`;
  const from = localAccount(2);
  return ["eth_sendTransaction", { from, nonce, to: demoTokenAddress(), data, gas: "0x30d40" }];
}
