// Verifies what `chainbell statement` wrote as JSON Lines, without a network and without the
// database: it is added up again, its digest is that of its lines, and the installation's key has
// signed it.
// Usage: node scripts/run.mjs verify-statement FILE [--key KEY] KEY: the public key as `key
// signing` shows it, or a file that has it; from another source than FILE.
// Status 0: everything is there and right. 1: something is wrong. 2: nothing is wrong, and
// something is missing.
import { createReadStream } from "node:fs";
import { createInterface } from "node:readline";
import { verifyStatement } from "./statement/verify.ts";
import { sayVerdict, verifyingArgs } from "./verifying/command-line.ts";

const { file, key } = verifyingArgs("verify-statement");
const lines = createInterface({ input: createReadStream(file), crlfDelay: Infinity });
const verdict = await verifyStatement(lines, key);
sayVerdict(verdict, `${verdict.entries} entries of ${verdict.holdings} balances were added up`);
