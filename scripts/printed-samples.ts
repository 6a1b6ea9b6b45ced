// Prints made-up statements on both papers, for people to look at after a change of the page: with
// 1, 40 and 4,000 entries, long names, names from right to left and amounts of 78 digits.
// Usage: node scripts/run.mjs printed-samples FOLDER
// Needs a Chromium. Where pdftoppm is there (Debian: poppler-utils), the first three pages of each
// PDF are pictures too.
import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createPrinter } from "../src/bin/cli/print-page.ts";
import { type Paper, paperNames } from "../src/domain/evidence/printed-statement.ts";
import {
  type MadeUpStatement,
  madeUpPage,
  madeUpTitle,
} from "../test/support/ledger/made-up-statement.ts";

const names = {
  usual: "Alpine Coffee Ltd.",
  long: "International Company for the Import and Export of Coffee Beans and Machines ".repeat(2),
  rightToLeft: "شركة القهوة الدولية",
};
const amounts = { usual: 125_500_000n, long: 10n ** 77n + 1n };
const samples: readonly MadeUpStatement[] = [
  { count: 1, name: names.usual, amount: amounts.usual },
  { count: 40, name: names.rightToLeft, amount: amounts.long },
  { count: 40, name: names.long, amount: amounts.usual },
  { count: 4_000, name: names.usual, amount: amounts.usual },
];

const [folder] = process.argv.slice(2);
if (folder === undefined) throw new Error("usage: node scripts/run.mjs printed-samples FOLDER");
mkdirSync(folder, { recursive: true });
for (const [index, sample] of samples.entries())
  for (const paper of paperNames) await print(join(folder, `${index + 1}-${paper}`), sample, paper);

async function print(path: string, sample: MadeUpStatement, paper: Paper): Promise<void> {
  const page = madeUpPage(sample, paper);
  const parts: Uint8Array[] = [];
  for await (const part of createPrinter(null).printPage(page, madeUpTitle)) parts.push(part);
  writeFileSync(`${path}.pdf`, Buffer.concat(parts));
  const pictures = ["-png", "-r", "80", "-l", "3", `${path}.pdf`, path];
  const isDrawn = spawnSync("pdftoppm", pictures).status === 0;
  console.log(`${path}.pdf: ${sample.count} entries${isDrawn ? ", with pictures" : ""}`);
}
