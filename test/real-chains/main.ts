import { readFileSync, writeFileSync } from "node:fs";
import { createCryptography } from "../../src/chain/proof/hashing/cryptography.ts";
import { hasSamples, readSamples } from "../support/chain/sample.ts";
import { inCheckout } from "../support/checkout.ts";
import { judge, type Row } from "./judge.ts";
import { tableOf } from "./table.ts";

// Prints what becomes of every recorded block of a real chain.
// Usage: npm run -s real-chains [-- --write] --write: what came of it is what is expected from now
// on

/** Reasons that were given for what is not right stay. */
function write(rows: readonly Row[]): void {
  const file = inCheckout("test", "real-chains", "expected.json");
  const before = JSON.parse(readFileSync(file, "utf8")) as Record<string, { why?: string }>;
  const lines = rows.map(({ sample, hash, roots, receipts, decode, traces, fee }) => {
    const why = before[sample]?.why;
    const outcome = [hash, roots, receipts, decode, traces, fee];
    const entry = why === undefined ? { outcome } : { outcome, why };
    return `  ${JSON.stringify(sample)}: ${JSON.stringify(entry)}`;
  });
  writeFileSync(file, `{\n${lines.join(",\n")}\n}\n`);
}

if (!hasSamples) {
  process.stderr.write("There are no recorded blocks: ../shared/chain-samples is not there.\n");
} else {
  const cryptography = await createCryptography();
  const rows: Row[] = [];
  for (const sample of readSamples()) rows.push(await judge(cryptography, sample));
  process.stdout.write(`${tableOf(rows)}\n`);
  if (process.argv.includes("--write")) write(rows);
}
