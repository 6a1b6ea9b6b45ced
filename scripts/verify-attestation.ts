// Verifies what `chainbell attest` wrote, without a network and without the database: each header
// is that of its block's hash, each proof leads from that header's state root to the balance that
// is stated, and the installation's key has signed the whole of it.
// Usage: node scripts/run.mjs verify-attestation FILE [--key KEY] KEY: the public key as `key
// signing` shows it, or a file that has it; from another source than FILE.
// Status 0: everything is there and proved. 1: something is wrong. 2: nothing is wrong, and
// something is missing.
import { readFileSync } from "node:fs";
import { verifyAttestation } from "./attestation/verify.ts";
import { sayVerdict, verifyingArgs } from "./verifying/command-line.ts";

const { file, key } = verifyingArgs("verify-attestation");
const verdict = await verifyAttestation(JSON.parse(readFileSync(file, "utf8")), key);
const { proved, unproved } = verdict;
sayVerdict(verdict, `${proved} balances are proved, ${unproved} have no proof`);
