// Verifies what `chainbell statement` wrote as JSON Lines, without a network and without the
// database: it is added up again, its digest is that of its lines, and the installation's key has
// signed it.
// Usage: node scripts/run.mjs verify-statement FILE [--key KEY] KEY: the public key as `key
// signing` shows it, or a file that has it; from another source than FILE.
// Status 0: everything is there and right. 1: something is wrong. 2: nothing is wrong, and
// something is missing.
import { createReadStream, existsSync, readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { parseArgs } from "node:util";
import { verifyStatement } from "./statement/verify.ts";

const { values, positionals } = parseArgs({
  options: { key: { type: "string" } },
  allowPositionals: true,
});
const [file] = positionals;
if (file === undefined)
  throw new Error("usage: node scripts/run.mjs verify-statement FILE [--key KEY]");
const lines = createInterface({ input: createReadStream(file), crlfDelay: Infinity });
const { entries, holdings, wrong, missing } = await verifyStatement(lines, keyIn(values.key));
for (const line of wrong) process.stdout.write(`wrong: ${line}\n`);
for (const line of missing) process.stdout.write(`missing: ${line}\n`);
process.stdout.write(
  `${entries} entries of ${holdings} balances were added up, ${wrong.length} things are wrong, ${missing.length} are missing\n`,
);
process.exitCode = wrong.length > 0 ? 1 : missing.length > 0 ? 2 : 0;

function keyIn(given: string | undefined): string | null {
  if (given === undefined) return null;
  const key = (existsSync(given) ? readFileSync(given, "utf8") : given).trim();
  if (Buffer.from(key, "base64").length === 32) return key;
  throw new Error("the key is not the base64 of 32 bytes");
}
