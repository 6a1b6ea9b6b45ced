// The daemon at work for long: transfers at a steady rate, its memory every 30 s and the slope of that, and whether in
// the end everything is in the ledger and was told exactly once.
// Usage: node bench/soak.mjs [--minutes 30] [--per-second 50]
// Exits with 1 where something is missing, too much or wrong. The slope only informs.
import { randomBytes } from "node:crypto";
import { parseArgs } from "node:util";
import pg from "pg";
import { encodeFunctionData, formatUnits, parseAbi } from "viem/utils";
import { prepare } from "../scripts/prepare.mjs";
import { endOnSignal } from "./end-on-signal.mjs";

prepare();
const { demoTokenAddress, deployDemoToken, localAccount } = await import(
  "../dist/development/chain/demo-token.js"
);
const { openService, serve } = await import("./support/service.mjs");

const { values } = parseArgs({
  options: {
    minutes: { type: "string", default: "30" },
    "per-second": { type: "string", default: "50" },
  },
});
const forMs = Number(values.minutes) * 60_000;
const perSecond = Number(values["per-second"]);
const sampleMs = Math.min(30_000, forMs / 4);
/** Compiled code, filled pools, a grown heap: what comes before this is no leak. */
const warmUpMs = Math.min(180_000, forMs / 4);
/** A chain that answers slowly may be behind by some minutes: what has not moved for this long does not move. */
const stillMs = Math.min(120_000, Math.max(forMs, 30_000));

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const wallets = Array.from({ length: 20 }, () => `0x${randomBytes(20).toString("hex")}`);
const abi = parseAbi(["function mint(address to, uint256 amount)"]);
/** Of what was sent, by transaction: the amount as a notification says it. */
const sent = new Map();

const world = await openWorld();
endOnSignal(world.end);
try {
  const beganAtMs = performance.now();
  const samples = [];
  const ends = { isOver: false };
  const sending = send(beganAtMs).finally(() => {
    ends.isOver = true;
  });
  await Promise.all([sending, watch({ samples, beganAtMs, ends })]);
  const faults = await faultsAfterSettling();
  tellSlope(samples);
  console.log(faults.length === 0 ? "everything arrived, exactly" : faults.join("\n"));
  process.exitCode = faults.length === 0 ? 0 : 1;
} finally {
  await world.end();
}
process.exit();

async function openWorld() {
  const service = await openService({
    // It keeps its old states on disk: a daemon that has fallen behind on a busy machine can still be told of them.
    blockTimeS: 1,
    deploy: ({ rpcUrl }) => deployDemoToken({ rpcUrl }),
    receiver: { module: "arrivals.mjs", argsOf: () => [] },
  });
  try {
    // Of anvil's two ways to tell traces, the other one runs a block again for each of its transactions.
    const read = { rpc: [service.anvil.rpcUrl], confirmations: 2, tracing: "parity" };
    const chain = { chain_id: 31_337, ...read };
    const daemon = await serve(service, { name: "soaked", queue: "redis", wallets, chain });
    const end = () => daemon.stop().then(service.end);
    return { ...service, daemon, end };
  } catch (error) {
    await service.end();
    throw error;
  }
}

/** A second's transfers together, half of them coins and half tokens, each of an amount of its own. */
async function send(beganAtMs) {
  const [payer, minter, token] = [localAccount(1), localAccount(2), demoTokenAddress()];
  for (let second = 0; second * 1_000 < forMs; second += 1) {
    const first = second * perSecond;
    const transfers = Array.from({ length: perSecond }, (_, n) => transferOf(first + n));
    const questions = transfers.map(({ to, atomic, isCoin, nonce }) => [
      "eth_sendTransaction",
      isCoin
        ? { from: payer, nonce, to, value: `0x${atomic.toString(16)}` }
        : { from: minter, nonce, to: token, data: mintOf(to, atomic), gas: "0x30d40" },
    ]);
    const hashes = await world.anvil.batch(questions);
    for (const [n, hash] of hashes.entries()) {
      const { atomic, isCoin } = transfers[n];
      sent.set(hash, formatUnits(atomic, isCoin ? 18 : 6));
    }
    const leftMs = beganAtMs + (second + 1) * 1_000 - performance.now();
    if (leftMs > 0) await pause(leftMs);
  }
}

/** The nonce is named, since the questions of one request are answered side by side: every other transfer is the same sender's. */
function transferOf(n) {
  const nonce = `0x${Math.floor(n / 2).toString(16)}`;
  return { nonce, to: wallets[n % wallets.length], atomic: BigInt(n + 1), isCoin: n % 2 === 0 };
}

function mintOf(to, atomic) {
  return encodeFunctionData({ abi, functionName: "mint", args: [to, atomic] });
}

async function watch({ samples, beganAtMs, ends }) {
  for (let next = sampleMs; !ends.isOver; next += sampleMs) {
    while (!ends.isOver && performance.now() - beganAtMs < next) await pause(100);
    const text = await (await fetch(`${world.daemon.url}/metrics`)).text();
    const mib = (name) =>
      Number(new RegExp(`^chainbell_${name} (\\S+)`, "m").exec(text)[1]) / 2 ** 20;
    const { count } = await world.receiver.ask("count");
    const sample = {
      seconds: (performance.now() - beganAtMs) / 1_000,
      rss: mib("process_resident_memory_bytes"),
      heap: mib("nodejs_heap_size_used_bytes"),
    };
    samples.push(sample);
    const at = sample.seconds.toFixed(0).padStart(5);
    console.log(
      `${at} s  RSS ${sample.rss.toFixed(1)} MiB  heap ${sample.heap.toFixed(1)} MiB  sent ${sent.size}  arrived ${count}`,
    );
  }
}

/** Least squares over what comes after the warm-up. */
function tellSlope(samples) {
  const late = samples.filter(({ seconds }) => seconds * 1_000 >= warmUpMs);
  for (const of of ["rss", "heap"]) {
    const mean = (list) => list.reduce((sum, one) => sum + one, 0) / list.length;
    const [x, y] = [mean(late.map((one) => one.seconds)), mean(late.map((one) => one[of]))];
    const over = late.reduce((sum, one) => sum + (one.seconds - x) * (one[of] - y), 0);
    const under = late.reduce((sum, one) => sum + (one.seconds - x) ** 2, 0);
    const perHour = (3_600 * over) / under;
    console.log(`${of}: ${perHour.toFixed(1)} MiB per hour, from ${late.length} samples`);
  }
}

/** Waits until as much has arrived as was sent, then holds receiver and ledger against what was sent. */
async function faultsAfterSettling() {
  let last = { count: 0, atMs: performance.now() };
  while (last.count < sent.size && performance.now() - last.atMs < stillMs) {
    await pause(250);
    const { count } = await world.receiver.ask("count");
    if (count > last.count) last = { count, atMs: performance.now() };
  }
  // What should not come has the time to.
  await pause(3_000);
  const { arrived } = await world.receiver.ask("all");
  const told = new Map(arrived.map((one) => [one.txHash, one]));
  const isRight = ([hash, amount]) => told.get(hash)?.amount === amount;
  const right = [...sent].filter(isRight).length;
  const repeats = arrived.reduce((sum, one) => sum + one.times - 1, 0);
  const rows = await completedRows();
  await reportTrouble();
  console.log(
    `sent ${sent.size}, told ${arrived.length}, told again ${repeats}, in the ledger ${rows}`,
  );
  return [
    ...(right === sent.size ? [] : [`${sent.size - right} were not told, or not rightly`]),
    ...(arrived.length === sent.size ? [] : [`${arrived.length} notifications for ${sent.size}`]),
    ...(rows === sent.size ? [] : [`${rows} completed deposits for ${sent.size}`]),
  ];
}

/** What the daemon itself says is wrong with it, and where its chain is. */
async function reportTrouble() {
  const { services } = await (await fetch(`${world.daemon.url}/health/ready`)).json();
  for (const { name, trouble } of services)
    if (trouble !== null) console.log(`${name}: ${trouble}`);
  const text = await (await fetch(`${world.daemon.url}/metrics`)).text();
  const of = (name) => new RegExp(`^chainbell_chain_${name}\\{.*\\} (\\S+)`, "m").exec(text)?.[1];
  console.log(
    `chain: head ${of("head")}, position ${of("position")}, confirmed ${of("confirmed")}`,
  );
}

async function completedRows() {
  const client = new pg.Client({ connectionString: world.daemon.databaseUrl });
  await client.connect();
  const { rows } = await client.query(
    "SELECT count(*)::int AS n FROM transaction WHERE type = 'deposit' AND status = 'completed'",
  );
  await client.end();
  return rows[0].n;
}
