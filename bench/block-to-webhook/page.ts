// The page of the documents and its charts, made from the figures of one call.
import { barsOf } from "./chart.ts";
import type { Figures, Measured } from "./figures.ts";
import type { Outcome } from "./outcome.ts";
import { type Fault, faults } from "./play.ts";

/** The files of the page, by their paths below docs/. */
export function pageOf(figures: Figures): Record<string, string> {
  return {
    "block-to-webhook.md": markdownOf(figures),
    "block-to-webhook/times.svg": timesOf(figures),
    "block-to-webhook/losses.svg": lossesOf(figures),
  };
}

const planned = ["refused", "killed"] as const;

function markdownOf({ measuredOn, machine, script, rounds, systems }: Figures): string {
  const { blocks, everyMs, payments, patienceMs } = script;
  return `# From a block to its webhook

How long does a payment take from its block to your webhook? What is lost on the way when something breaks? This
benchmark measures both, and runs against your own system too.

<!-- from docs/block-to-webhook/figures.json: node scripts/run.mjs block-to-webhook --page -->

![The time from a block to its webhook, by system](block-to-webhook/times.svg)

${tableOf(["system", "p50", "p90", "p99", "lost", "twice", "out of order"], systems.map(timeRow))}

Measured on ${measuredOn}: ${machine.cpu}, ${machine.cores} cores, ${machine.memoryGib} GiB, Node ${machine.node.slice(1)}.
A block every ${everyMs} ms, ${blocks} blocks, ${payments} payments of a token in each, rounds in turn: ${rounds}.
Chain, systems, databases and receiver share the machine.

${systems.map(({ title, how }) => `- **${title}**: ${how}.`).join("\n")}

## When something breaks

![Payments that were lost or came twice, by system](block-to-webhook/losses.svg)

${planned.map((fault) => sectionOf(fault, systems)).join("\n\n")}

A repeat is no loss. Chainbell may send a notification twice, under the same id, and says so in its
[contract](contract.md). A receiver that stores ids takes it once.

## Run it

\`\`\`sh
node scripts/run.mjs block-to-webhook                               # every system here: twenty minutes
node scripts/run.mjs block-to-webhook --system chainbell            # one of them
node scripts/run.mjs block-to-webhook --blocks 20 --rounds 1        # a little
node scripts/run.mjs block-to-webhook --json FILE                   # keeps the figures
node scripts/run.mjs block-to-webhook --page                        # writes this page from its figures
\`\`\`

## Measure your own system

\`\`\`sh
node scripts/run.mjs block-to-webhook --system own --system chainbell
\`\`\`

1. The command starts a chain and a receiver. It prints their addresses, the token and twenty wallets.
2. Set your system up: it watches the wallets, and POSTs each transfer to the receiver once, as soon as its block is
   there. The body names the hash of the transaction, in any form.
3. Press Enter. The payments begin, and the table follows.

## What is measured

- The receiver is a process of its own. The chain announces each block to it, so one clock stamps the block and the
  request.
- Each system notifies as soon as the block is there, without further confirmations.
- A payment is **lost** if none of its requests was answered with 2xx, and then nothing came for ${patienceMs / 1_000} s.
- A payment that a killed process had in flight is late, and not lost. Chainbell waits for the end of its lease, 60 s.
- It came **twice** if two of its requests were answered with 2xx.
- It is **out of order** if its first request came after one of a later block.
- Ponder is a framework for indexing and does not promise to notify. The POST is what its users write.
`;
}

const timeRow = ({ title, outcomes: { none } }: Measured) =>
  none === undefined
    ? [title, "", "", "", "", "", ""]
    : [title, msText(none.p50), msText(none.p90), msText(none.p99), ...countsOf(none)];

function countsOf({ lost, doubled, outOfOrder, paid }: Outcome): string[] {
  return [`${lost} of ${paid}`, String(doubled), String(outOfOrder)];
}

function sectionOf(fault: Fault, systems: readonly Measured[]): string {
  const rows = systems.flatMap(({ title, outcomes }) => {
    const outcome = outcomes[fault];
    return outcome === undefined ? [] : [[title, msText(outcome.p99), ...countsOf(outcome)]];
  });
  const said = faults[fault];
  return `${said.charAt(0).toUpperCase()}${said.slice(1)}:

${tableOf(["system", "p99", "lost", "twice", "out of order"], rows)}`;
}

const msText = (ms: number | null) =>
  ms === null ? "–" : `${Math.round(ms).toLocaleString("en")} ms`;

function tableOf(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  return [line(heads), line(heads.map(() => "---")), ...rows.map(line)].join("\n");
}

function timesOf({ systems }: Figures): string {
  const rows = systems.map(({ title, outcomes: { none } }) => ({
    label: plain(title),
    bars: [none?.p50 ?? null, none?.p99 ?? null].map((ms) => ({
      value: ms ?? 0,
      text: msText(ms),
    })),
  }));
  return barsOf("From a block to its webhook", ["p50", "p99"], rows);
}

function lossesOf({ systems }: Figures): string {
  const rows = planned.flatMap((fault) =>
    systems.flatMap(({ title, outcomes }) => {
      const outcome = outcomes[fault];
      if (outcome === undefined) return [];
      const { lost, doubled } = outcome;
      const bars = [lost, doubled].map((value) => ({ value, text: String(value) }));
      return [{ label: `${plain(title)}, ${fault}`, bars }];
    }),
  );
  return barsOf("Payments that were lost or came twice", ["lost", "twice"], rows);
}

const plain = (markdown: string) => markdown.replaceAll("`", "");
