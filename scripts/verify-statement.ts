// Verifies what `chainbell statement` or GET /statements gave, without a network and without the
// database: it is added up again, its digest is that of its lines, and the installation's key has
// signed it. FILE is JSON Lines, CSV, a PDF, or, with --against, a page of HTML or Parquet.
// Usage: node scripts/run.mjs verify-statement FILE [--against STATEMENT] [--key KEY] STATEMENT:
// the JSON Lines, against which FILE is held field by field. KEY: the public key as `key signing`
// shows it, or a file that has it; from another source than FILE.
// Status 0: everything is there and right. 1: something is wrong. 2: nothing is wrong, and
// something is missing.
import { verifyFile } from "../src/verifying/verify-file.ts";
import { sayVerdict, verifyingArgs } from "./verifying/command-line.ts";

const verdict = await verifyFile(verifyingArgs("verify-statement", ["against"]));
sayVerdict(verdict, `${verdict.entries} entries of ${verdict.holdings} balances were added up`);
