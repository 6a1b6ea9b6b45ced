// What is asked of an endpoint for each block while nothing is ours: requests, bytes, and what
// providers charge for them. Beside full and economical reading, a poller that asks for the head
// and for the logs of each block, and proves nothing. It asks for the head once a block, when the
// block is there: no poller knows so well when to ask. Time is scaled: a block a second stands for
// one every twelve, and the head is polled twelve times a second. Ponder, which is the peer, polls
// ten times a second at most where nothing is announced to it; its default is once a second.
import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { keccak256, toHex } from "viem";
import { chargeOf, prices } from "../../src/chain/rpc/provider-prices.ts";
import type { TracingChoice } from "../../src/domain/chain/block-proof.ts";
import type { Reading } from "../../src/domain/chain/chain-rules.ts";
import { ANVIL_ACCOUNTS } from "../../test/support/chain/anvil.ts";
import { type Build, ourBuild } from "../process/build.ts";
import type { BenchOptions } from "../runner/bench.ts";
import { type Line, lineOf } from "../runner/line.ts";
import { countOf, countQuestions, type Questions } from "../support/chain/count-questions.ts";
import { followWithPonder, preparePonder } from "../support/chain/ponder.ts";
import { openPayments, type Payments } from "../support/payments.ts";
import { randomAddress } from "../support/random-address.ts";

const [, payer, maker] = ANVIL_ACCOUNTS;

/**
 * The code of a contract that logs once, when it is created: a bloom without a log says nothing.
 */
const logging = "0x60006000a000";

const everyMs = 1_000;
const scaledPollMs = 83;
const blocksPerDay = 7_200;

/** What a start asks for, and what wallets begin with, is no block's. */
const settlingBlocks = 15;

type CostPayments = Payments<"recording-receiver">;

/** Chains of which nothing is ours. */
const chains = ["no logs at all", "nothing of ours", "our token moves"] as const;

type Chain = (typeof chains)[number];

type Transport = "ws" | "http";

/** Over a websocket, which announces blocks to full reading alone, or over HTTP. */
const daemons: Record<string, { reading: Reading; tracing: TracingChoice; over: Transport }> = {
  full: { reading: "full", tracing: "auto", over: "ws" },
  "full, untraced": { reading: "full", tracing: "off", over: "ws" },
  economical: { reading: "economical", tracing: "auto", over: "ws" },
  "economical, HTTP": { reading: "economical", tracing: "auto", over: "http" },
};

const transports = ["ws", "http"] as const;

type Mined = { chain: Chain; blocks: number };

type Measured = Mined & { name: string };

type Counted = {
  ours: Questions;
  poller: Questions;
  /** Over the same transport as ours. */
  ponder: Questions | null;
  against: Questions | null;
};

export async function run({ quick, report, against }: BenchOptions): Promise<Line[]> {
  const blocks = quick ? 3 : 30;
  const hasPonder = !quick && preparePonder(report);
  const payments = await openPayments("recording-receiver", () => null);
  try {
    const lines: Line[] = [];
    for (const chain of chains) {
      const poller = await countPoller(payments, { chain, blocks });
      const ponders = new Map<Transport, Questions>();
      for (const over of hasPonder ? transports : []) {
        const asked = await countPonder(payments, over, { chain, blocks });
        report(`${chain}, Ponder, ${over}: ${textOf(asked)}`);
        ponders.set(over, asked);
      }
      for (const [name, { over }] of Object.entries(daemons)) {
        const of = { chain, name, blocks };
        const ponder = ponders.get(over) ?? null;
        const ours = await countDaemon(payments, ourBuild, of);
        const other = await countOther(payments, against, of);
        report(`${chain}, ${name}: ${textOf(ours)}`);
        lines.push(...linesOf(of, { ours, poller, ponder, against: other }));
      }
    }
    return lines;
  } finally {
    await payments.end();
  }
}

function linesOf({ chain, name, blocks }: Measured, counted: Counted): Line[] {
  const { ours, poller, ponder, against } = counted;
  const peer = ponder === null ? "" : "; peer: Ponder 0.16.6 for the same token";
  const line = (what: string, unit: string, figure: (asked: Questions) => number) =>
    lineOf({
      name: `${what}, ${chain}, ${name}`,
      unit,
      ours: figure(ours) / blocks,
      baseline: figure(poller) / blocks,
      peer: ponder === null ? null : figure(ponder) / blocks,
      against: against === null ? null : figure(against) / blocks,
      conditions: `${blocks} blocks of one to three transactions; baseline: eth_blockNumber and eth_getLogs for each${peer}`,
    });
  const charges = Object.entries(prices).map(([provider, price]) => {
    const charge = line(provider, `${price.unit} a block`, (asked) => chargeOf(asked, price));
    const aDay = Math.round(charge.ours * blocksPerDay).toLocaleString("en");
    const conditions = `${charge.conditions}; ${aDay} a day of ${blocksPerDay} blocks`;
    return { ...charge, conditions, goal: name.startsWith("economical") ? { atMost: 1.2 } : null };
  });
  const isHalved = chain === "nothing of ours" && name.startsWith("full") && against !== null;
  const half = isHalved ? { oursAtMost: countOf(against) / blocks / 2 } : null;
  return [
    { ...line("requests", "a block", countOf), goal: half },
    line("bytes", "a block", ({ bytes }) => bytes),
    ...charges,
  ];
}

function textOf(asked: Questions): string {
  const calls = [...asked.calls].map(([method, count]) => `${count} ${method}`);
  return [...calls, `${asked.announced} announced`].join(", ");
}

async function countOther(payments: CostPayments, build: Build | null, of: Measured) {
  return build === null ? null : countDaemon(payments, build, of);
}

function countDaemon(payments: CostPayments, build: Build, of: Measured): Promise<Questions> {
  const { reading, tracing = "auto", over = "ws" } = daemons[of.name] ?? {};
  return countFollower(payments, of, async ({ url, wsUrl }) => {
    const { daemon } = await payments.serve({
      build,
      name: `cost_${randomUUID()}`,
      queue: "postgres",
      webhooks: {},
      chain: {
        rpcUrl: over === "ws" ? wsUrl : url,

        confirmations: 12,
        pollMs: scaledPollMs,
        ...(tracing === "auto" ? {} : { tracing }),
        // v0.1.0 refuses the setting.
        ...(reading === "economical" && build === ourBuild ? { reading } : {}),
      },
    });
    return daemon;
  });
}

function countPonder(payments: CostPayments, over: Transport, of: Mined): Promise<Questions> {
  const { anvil, cluster, token } = payments;
  return countFollower(payments, of, async ({ url, wsUrl }) => {
    const read = { token: token.address, first: await anvil.blockNumber() };
    const chain = { url, wsUrl: over === "ws" ? wsUrl : null, ...read };
    return followWithPonder({ cluster, chain });
  });
}

/** What is asked for by something that follows the chain, once it has started. */
async function countFollower(
  payments: CostPayments,
  of: Mined,
  start: (endpoint: { url: string; wsUrl: string }) => Promise<{ stop: () => Promise<unknown> }>,
): Promise<Questions> {
  const counting = await countQuestions(payments.anvil.rpcUrl);
  try {
    const follower = await start(counting);
    try {
      await mineAtPace(payments, { ...of, blocks: settlingBlocks });
      counting.take();
      await mineAtPace(payments, of);
      return counting.take();
    } finally {
      await follower.stop();
    }
  } finally {
    await counting.stop();
  }
}

async function countPoller(payments: CostPayments, of: Mined): Promise<Questions> {
  const counting = await countQuestions(payments.anvil.rpcUrl);
  const { url } = counting;
  const { address } = payments.token;
  const topics = [keccak256(toHex("Transfer(address,address,uint256)"))];
  try {
    await mineAtPace(payments, of, async () => {
      const number = await ask(url, "eth_blockNumber", []);
      await ask(url, "eth_getLogs", [{ fromBlock: number, toBlock: number, address, topics }]);
    });
    return counting.take();
  } finally {
    await counting.stop();
  }
}

async function ask(url: string, method: string, params: unknown[]): Promise<unknown> {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
  const headers = { "content-type": "application/json" };
  const answer = await fetch(url, { method: "POST", headers, body });
  return ((await answer.json()) as { result: unknown }).result;
}

/** Mines blocks in which others move their coin, and where the chain says so our token. */
async function mineAtPace(
  payments: CostPayments,
  { chain, blocks }: Mined,
  onBlock: () => Promise<void> = async () => {},
): Promise<void> {
  const { anvil } = payments;
  const stranger = randomAddress();
  const sent = (of: object) => ({ method: "eth_sendTransaction", params: [of] });
  for (let block = 0; block < blocks; block += 1) {
    const dueMs = performance.now() + everyMs;
    const mints = chain === "our token moves" ? [payments.nextMint(stranger).call] : [];
    const coin = sent({ from: payer, to: stranger, value: "0x1" });
    const logs = chain === "no logs at all" ? [] : [sent({ from: maker, data: logging })];
    await anvil.batch([coin, ...logs, ...mints]);
    await anvil.rpc("evm_mine");
    await onBlock();
    await sleep(Math.max(0, dueMs - performance.now()));
  }
}
