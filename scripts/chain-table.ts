// Writes the tables of chains into docs/chains.md, from the profiles that the daemon reads chains
// by.
// Usage: node scripts/run.mjs chain-table
import { readFileSync, writeFileSync } from "node:fs";
import { inCheckout } from "../test/support/checkout.ts";
import { withChainTables } from "../test/support/docs/chain-table.ts";

const page = inCheckout("docs", "chains.md");
writeFileSync(page, withChainTables(readFileSync(page, "utf8")));
