// What is measured: each system watches the same wallets, and POSTs to the same receiver.
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline/promises";
import { inCheckout } from "../../test/support/checkout.ts";
import { ourBuild } from "../process/build.ts";
import { startDaemon } from "../process/start-daemon.ts";
import { startProgram } from "../process/start-program.ts";
import type { Report } from "../runner/bench.ts";
import { followWithPonder, preparePonder } from "../support/chain/ponder.ts";
import type { Queue } from "../support/delivery/open-delivery.ts";
import type { Payments } from "../support/payments.ts";

export type StampedPayments = Payments<"stamping-receiver">;

/** A system that follows the chain. Whoever starts it stops it. */
export type Running = {
  stop: () => Promise<unknown>;
  /** Ends it as a crash would, and starts it again. Null: it is not killed. */
  crash: (() => Promise<void>) | null;
};

export type System = {
  /** With its version. */
  title: string;
  /** How it finds a payment, and how it sends a notification. */
  how: string;
  /** Resolves once it follows the chain. */
  start: (payments: StampedPayments) => Promise<Running>;
};

/** As often as Ponder may poll: a second of a chain of twelve is less than that here. */
const pollMs = 100;

/** Every system by its name. */
export function systemsWith(report: Report): Record<string, System> {
  let isSetUp = false;
  return {
    chainbell: {
      title: `Chainbell ${versionIn("package.json")}`,
      how: "blocks proved by their roots, a ledger, the queue on Redis, signed, retried",
      start: (payments) => startChainbell(payments, "redis"),
    },
    "chainbell-postgres": {
      title: `Chainbell ${versionIn("package.json")}, without Redis`,
      how: "the same, with the queue on PostgreSQL",
      start: (payments) => startChainbell(payments, "postgres"),
    },
    ponder: {
      title: `Ponder ${versionOfPonder()} and a POST`,
      how: "a row for each transfer, then `fetch` in the indexing function",
      start: (payments) => startPonder(payments, report),
    },
    poller: {
      title: "a poller of `eth_getLogs`",
      how: `asks for new logs every ${pollMs} ms and POSTs each once; keeps its place in memory`,
      start: startPoller,
    },
    own: {
      title: "your own system",
      how: "as you have set it up",
      async start(payments) {
        // Chain, wallets and receiver stay the same: it is set up once.
        if (!isSetUp) await waitForOwn(payments, report);
        isSetUp = true;
        return { stop: async () => undefined, crash: null };
      },
    },
  };
}

function versionIn(path: string): string {
  const { version } = JSON.parse(readFileSync(inCheckout(path), "utf8")) as { version: string };
  return version;
}

function versionOfPonder(): string {
  const text = readFileSync(inCheckout("bench", "peers", "ponder", "package.json"), "utf8");
  return (JSON.parse(text) as { dependencies: { ponder: string } }).dependencies.ponder;
}

async function startChainbell(payments: StampedPayments, queue: Queue): Promise<Running> {
  const name = `chainbell_${queue}_${Date.now()}`;
  const chain = { rpcUrl: payments.anvil.wsUrl, confirmations: 0 };
  const served = await payments.serve({ build: ourBuild, name, queue, chain, webhooks: {} });
  let { daemon } = served;
  return {
    stop: () => daemon.stop(),
    async crash() {
      await daemon.kill();
      daemon = await startDaemon(ourBuild, served.deployment);
    },
  };
}

async function startPonder(payments: StampedPayments, report: Report): Promise<Running> {
  if (!preparePonder(report)) throw new Error("Ponder could not be installed.");
  const { anvil, cluster, token } = payments;
  // It refuses to begin with a block that is not there yet.
  const first = await anvil.blockNumber();
  const chain = { url: anvil.rpcUrl, wsUrl: anvil.wsUrl, token: token.address, first };
  const ponder = await followWithPonder({ cluster, chain, webhookUrl: urlOf(payments) });
  // How Ponder takes up its work again was not looked into: it is not killed.
  return { stop: ponder.stop, crash: null };
}

async function startPoller(payments: StampedPayments): Promise<Running> {
  const { anvil, token, wallets } = payments;
  const given = { rpcUrl: anvil.rpcUrl, token: token.address, wallets, url: urlOf(payments) };
  const start = () => startProgram("log-poller", { ...given, pollMs });
  let program = await start();
  return {
    stop: () => program.stop(),
    async crash() {
      await program.stop();
      program = await start();
    },
  };
}

const urlOf = ({ receiver }: StampedPayments) => `http://127.0.0.1:${receiver.ready.port}/hook`;

async function waitForOwn(payments: StampedPayments, report: Report): Promise<void> {
  const { anvil, token, wallets } = payments;
  report(
    [
      "Set your system up:",
      `  chain      ${anvil.rpcUrl}, ${anvil.wsUrl}, chain id 31337`,
      `  token      ${token.address}, ERC-20 with ${token.asset.decimals} decimals`,
      `  webhook    ${urlOf(payments)}`,
      "  wallets",
      ...wallets.map((wallet) => `    ${wallet}`),
      "It notifies of a transfer to a wallet as soon as its block is there, once. The body names the",
      "hash of the transaction. Then press Enter.",
    ].join("\n"),
  );
  const lines = createInterface(process.stdin);
  await lines.question("");
  lines.close();
}
