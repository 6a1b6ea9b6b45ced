import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { appendFile, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterEach, expect, it } from "vitest";
import { storeInFile } from "../../packages/webhooks/examples/consume-to-file.mjs";
import { consume } from "../../packages/webhooks/src/feed/consume.ts";
import { payer, shownWallet as wallet } from "../support/chain/cast.ts";
import { inCheckout } from "../support/checkout.ts";
import { createCustomer } from "../support/process/customer.ts";
import { startDaemon } from "../support/process/daemon.ts";
import { buildGo, hasGo, hasPython } from "../support/process/languages.ts";
import { createResources } from "../support/resources.ts";
import { waitFor } from "../support/wait-for.ts";
import { deploymentIn, eachWorld } from "../support/world.ts";

const world = eachWorld();

/** Ended before the world that they need. */
const resources = createResources();
afterEach(() => resources.end());

const timeoutMs = 60_000;

const execute = promisify(execFile);

/** Each language, where this machine has it: the test's name says which were run. */
const languages = [
  ["Node", true, withPackage],
  ["Python", hasPython, inPython],
  ["Go", hasGo, inGo],
] as const;
const ours = languages.filter(([, isInstalled]) => isInstalled);

type Consumer = {
  /** Begins, or goes on where it was. */
  start: () => void;
  /** Ends it as a crash does, wherever it is. */
  kill: () => Promise<void>;
  /** The ids that it has counted, in order. */
  counted: () => Promise<string[]>;
};

/** Ends with the test at the latest. */
async function temporary(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "chainbell-feed-"));
  await resources.open(Promise.resolve(folder), (one) => rm(one, { recursive: true }));
  return folder;
}

function program(command: string, args: string[], env: Record<string, string>) {
  let child: ChildProcess | null = null;
  const kill = async () => {
    if (child === null || child.exitCode !== null) return;
    const exited = once(child, "exit");
    child.kill("SIGKILL");
    await exited;
    child = null;
  };
  return {
    start() {
      child = spawn(command, args, {
        env: { ...process.env, ...env },
        stdio: ["ignore", "ignore", "inherit"],
      });
    },
    kill,
  };
}

const idsInLines = async (path: string) =>
  (await readFile(path, "utf8").catch(() => ""))
    .split("\n")
    .slice(0, -1)
    .flatMap((line) => JSON.parse(line).notifications.map(({ id }: { id: string }) => id));

async function inPython(URL: string, API_KEY: string): Promise<Consumer> {
  const DATABASE = join(await temporary(), "credits.sqlite");
  const script = inCheckout("examples", "feed", "python.py");
  const read =
    "import json, sqlite3, sys; print(json.dumps([row[0] for row in sqlite3.connect(sys.argv[1]).execute('SELECT id FROM credit ORDER BY rowid')]))";
  return {
    ...program("python3", [script], { URL, API_KEY, DATABASE }),
    // The daemon is in this process, so nothing may hold the process up.
    counted: () =>
      execute("python3", ["-c", read, DATABASE]).then(
        ({ stdout }) => JSON.parse(stdout),
        () => [],
      ),
  };
}

async function inGo(URL: string, API_KEY: string): Promise<Consumer> {
  const folder = await temporary();
  const built = join(folder, "consumer");
  buildGo(inCheckout("examples", "feed", "go.go"), built);
  const FILE = join(folder, "credits.jsonl");
  return { ...program(built, [], { URL, API_KEY, FILE }), counted: () => idsInLines(FILE) };
}

async function withPackage(url: string, apiKey: string): Promise<Consumer> {
  const path = join(await temporary(), "credits.jsonl");
  let stop = async () => {};
  return {
    start() {
      const abort = new AbortController();
      const ended = (async () => {
        const store = await storeInFile(path);
        await consume({ url, apiKey, store, signal: abort.signal });
        await store.close();
      })();
      stop = async () => {
        abort.abort();
        await ended;
      };
    },
    async kill() {
      await stop();
      // What a crash leaves of the line that it was writing.
      await appendFile(path, '{"cursor":"eyJ');
    },
    counted: () => idsInLines(path),
  };
}

const named = ours.map(([name]) => name).join(", ");

it(`consumers in ${named} have each event once and in order, however they end`, async () => {
  const daemon = await resources.open(startDaemon(deploymentIn(world)), (one) => one.stop());
  const of = { blockchain: "anvil", addresses: [wallet], receiver: null };
  const { key } = await createCustomer({ ...daemon, ...of });
  const consumers = await Promise.all(ours.map(([, , start]) => start(daemon.url, key)));
  for (const { kill } of consumers) await resources.open(Promise.resolve(kill), (end) => end());

  let paid = 0;
  const pay = async (payments: number) => {
    for (let payment = 0; payment < payments; payment += 1) {
      paid += 1;
      await world.anvil.sendNative({ from: payer, to: wallet, amountAtomic: BigInt(paid) });
    }
  };
  const haveAll = () =>
    waitFor(
      async () => {
        const counts = await Promise.all(
          consumers.map(async (one) => (await one.counted()).length),
        );
        if (counts.some((count) => count < paid)) throw new Error(`${counts} of ${paid}`);
        return true;
      },
      { what: "every consumer to have everything", timeoutMs },
    );
  for (const { start } of consumers) start();
  await pay(3);
  await haveAll();
  for (const round of [1, 2]) {
    // Somewhere between the payment and its end, each time elsewhere.
    await pay(round);
    for (const { kill } of consumers) await kill();
    await pay(2);
    for (const { start } of consumers) start();
    await haveAll();
  }
  const written = await daemon.db.$queryRaw<{ id: string }[]>`
    SELECT id FROM notification ORDER BY sequence`;
  for (const { counted } of consumers) expect(await counted()).toEqual(written.map(({ id }) => id));
});
