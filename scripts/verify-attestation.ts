// Verifies what `chainbell attest` wrote, without a network and without the database: each header
// is that of its block's hash, each proof leads from that header's state root to the balance that
// is stated, and the installation's key has signed the whole of it.
// Usage: node scripts/run.mjs verify-attestation FILE [--key KEY] KEY: the public key as `key
// signing` shows it, or a file that has it; from another source than FILE.
// Status 0: everything is there and proved. 1: something is wrong. 2: nothing is wrong, and
// something is missing.
import { existsSync, readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { verifyAttestation } from "./attestation/verify.ts";

const { values, positionals } = parseArgs({
  options: { key: { type: "string" } },
  allowPositionals: true,
});
const [file] = positionals;
if (file === undefined)
  throw new Error("usage: node scripts/run.mjs verify-attestation FILE [--key KEY]");
const verdict = await verifyAttestation(JSON.parse(readFileSync(file, "utf8")), keyIn(values.key));
const { proved, unproved, wrong, missing } = verdict;
for (const line of wrong) process.stdout.write(`wrong: ${line}\n`);
for (const line of missing) process.stdout.write(`missing: ${line}\n`);
process.stdout.write(
  `${proved} balances are proved, ${unproved} have no proof, ${wrong.length} things are wrong, ${missing.length} are missing\n`,
);
process.exitCode = wrong.length > 0 ? 1 : missing.length > 0 ? 2 : 0;

function keyIn(given: string | undefined): string | null {
  if (given === undefined) return null;
  const key = (existsSync(given) ? readFileSync(given, "utf8") : given).trim();
  if (Buffer.from(key, "base64").length === 32) return key;
  throw new Error("the key is not the base64 of 32 bytes");
}
