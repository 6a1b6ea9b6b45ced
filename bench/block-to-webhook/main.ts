// From a block to its webhook: what a payment takes to the receiver, and what is lost, doubled or out
// of order, quiet and when something breaks. Chainbell, with Redis and without; Ponder with a POST
// written by hand; a poller of eth_getLogs; or your own system. docs/block-to-webhook.md has the
// figures. All of them take twenty minutes.
// Usage: node scripts/run.mjs block-to-webhook [--system NAME]... [--blocks 120] [--every 250]
//   [--payments 5] [--rounds 3] [--fault NAME]... [--patience 90] [--json FILE] [--page]
// --system: chainbell, chainbell-postgres, ponder, poller or own. --fault: refused, killed or none;
// both where nothing is said. --patience: seconds without a request, after which the rest is lost.
// What a killed process had in flight waits for the end of its lease. --page: writes the page of the
// documents and its charts from docs/block-to-webhook/figures.json, which --json may name.
import { readFile, writeFile } from "node:fs/promises";
import { availableParallelism, cpus, totalmem } from "node:os";
import { parseArgs } from "node:util";
import { keysOf } from "../../src/domain/keys-of.ts";
import { inCheckout } from "../../test/support/checkout.ts";
import { openPayments } from "../support/payments.ts";
import { type Figures, type Measured, together } from "./figures.ts";
import type { Outcome } from "./outcome.ts";
import { pageOf } from "./page.ts";
import { type Fault, faults, play, type Script } from "./play.ts";
import { type StampedPayments, type System, systemsWith } from "./systems.ts";

const print = (line: string) => process.stdout.write(`${line}\n`);

process.exit(await main());

async function main(): Promise<number> {
  const options = readOptions();
  if (options.page) {
    await writePage();
    return 0;
  }
  const systems = systemsWith(print);
  const chosen = new Map<string, System>();
  for (const name of options.systems) {
    const system = systems[name];
    if (system === undefined) throw wrong(`--system ${name}: ${Object.keys(systems).join(", ")}`);
    chosen.set(name, system);
  }
  const measured = await measure(chosen, options);
  const { script, rounds } = options;
  const figures: Figures = {
    measuredOn: new Date().toISOString().slice(0, 10),
    machine: {
      node: process.version,
      cpu: cpus()[0]?.model ?? "unknown",
      cores: availableParallelism(),
      memoryGib: Math.round(totalmem() / 2 ** 30),
    },
    script,
    rounds,
    systems: measured,
  };
  print(`\n${textOf(measured)}`);
  if (options.json !== null) await writeFile(options.json, `${JSON.stringify(figures, null, 2)}\n`);
  return 0;
}

type Options = {
  systems: readonly string[];
  faults: readonly Fault[];
  script: Script;
  rounds: number;
  json: string | null;
  page: boolean;
};

function readOptions(): Options {
  const text = { type: "string" } as const;
  const { values } = parseArgs({
    options: {
      system: { type: "string", multiple: true },
      blocks: text,
      every: text,
      payments: text,
      rounds: text,
      fault: { type: "string", multiple: true },
      patience: text,
      json: text,
      page: { type: "boolean", default: false },
    },
  });
  const number = (name: "blocks" | "every" | "payments" | "rounds" | "patience", usual: number) => {
    const given = values[name];
    const value = given === undefined ? usual : Number(given);
    if (!Number.isInteger(value) || value < 1)
      throw wrong(`--${name} ${given}: a number from 1 on`);
    return value;
  };
  return {
    faults: (values.fault ?? ["refused", "killed"]).map(toFault).filter((one) => one !== "none"),
    systems: values.system ?? ["chainbell", "chainbell-postgres", "ponder", "poller"],
    script: {
      blocks: number("blocks", 120),
      everyMs: number("every", 250),
      payments: number("payments", 5),
      patienceMs: number("patience", 90) * 1_000,
    },
    rounds: number("rounds", 3),
    json: values.json ?? null,
    page: values.page,
  };
}

function toFault(name: string): Fault {
  const found = keysOf(faults).find((one) => one === name);
  if (found === undefined) throw wrong(`--fault ${name}: ${keysOf(faults).join(", ")}`);
  return found;
}

/** As the errors of parseArgs are. */
function wrong(text: string): Error {
  return Object.assign(new TypeError(text), { code: "ERR_PARSE_ARGS_INVALID_OPTION_VALUE" });
}

/** Each system in turn: so many quiet rounds, then one with each fault. */
async function measure(
  systems: ReadonlyMap<string, System>,
  { script, rounds, faults: planned }: Options,
): Promise<Measured[]> {
  const payments = await openPayments("stamping-receiver", ({ anvil: { wsUrl } }) => ({ wsUrl }));
  try {
    const quiet = new Map<string, Outcome[]>();
    for (let round = 1; round <= rounds; round += 1) {
      for (const [name, system] of systems) {
        const outcome = await runOnce(payments, system, { script, fault: "none" });
        if (outcome !== null) quiet.set(name, [...(quiet.get(name) ?? []), outcome]);
      }
    }
    const measured: Measured[] = [];
    for (const [name, system] of systems) {
      const outcomes: Measured["outcomes"] = { none: together(quiet.get(name) ?? []) };
      for (const fault of planned) {
        const outcome = await runOnce(payments, system, { script, fault });
        if (outcome !== null) outcomes[fault] = outcome;
      }
      measured.push({ name, title: system.title, how: system.how, outcomes });
    }
    return measured;
  } finally {
    await payments.end();
  }
}

/** Null: the fault is none that the system can be given. */
async function runOnce(
  payments: StampedPayments,
  system: System,
  how: { script: Script; fault: Fault },
): Promise<Outcome | null> {
  const running = await system.start(payments);
  try {
    if (how.fault === "killed" && running.crash === null) return null;
    const outcome = await play(payments, running, how);
    print(`${system.title}, ${faults[how.fault]}: ${lineOf(outcome)}`);
    return outcome;
  } finally {
    await running.stop();
  }
}

function lineOf({ paid, p50, p90, p99, lost, doubled, outOfOrder }: Outcome): string {
  const [middle, most, nearlyAll] = [p50, p90, p99].map((ms) => ms?.toFixed(1) ?? "–");
  const times = `p50 ${middle}, p90 ${most}, p99 ${nearlyAll} ms`;
  return `${times}; of ${paid}: ${lost} lost, ${doubled} twice, ${outOfOrder} out of order`;
}

function textOf(measured: readonly Measured[]): string {
  return measured
    .flatMap(({ title, outcomes }) =>
      keysOf(faults).flatMap((fault) => {
        const outcome = outcomes[fault];
        return outcome === undefined ? [] : [`${title}, ${fault}: ${lineOf(outcome)}`];
      }),
    )
    .join("\n");
}

async function writePage(): Promise<void> {
  const text = await readFile(inCheckout("docs", "block-to-webhook", "figures.json"), "utf8");
  const files = pageOf(JSON.parse(text) as Figures);
  for (const [path, content] of Object.entries(files))
    await writeFile(inCheckout("docs", path), content);
}
