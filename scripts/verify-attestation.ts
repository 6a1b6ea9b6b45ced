// Verifies what `chainbell attest` wrote, without a network and without the database: each header
// is that of its block's hash, and each proof leads from that header's state root to the balance
// that is stated.
// Usage: node scripts/run.mjs verify-attestation <file>
// Status 0: everything that has a proof is proved. 1: something is not what the proofs say.
import { readFileSync } from "node:fs";
import { verifyAttestation } from "./attestation/verify.ts";

const [file] = process.argv.slice(2);
if (file === undefined) throw new Error("usage: node scripts/run.mjs verify-attestation <file>");
const { proved, unproved, wrong } = await verifyAttestation(JSON.parse(readFileSync(file, "utf8")));
for (const line of wrong) process.stdout.write(`wrong: ${line}\n`);
process.stdout.write(
  `${proved} balances are proved, ${unproved} have no proof, ${wrong.length} are wrong\n`,
);
process.exitCode = wrong.length === 0 ? 0 : 1;
