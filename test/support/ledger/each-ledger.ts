import { eachTest } from "../each-test.ts";
import { openTestLedger, type TestLedger } from "./ledger-fixtures.ts";

/** A fresh ledger for each test, see eachTest. */
export function eachTestLedger(): TestLedger {
  return eachTest(openTestLedger, (ledger) => ledger.stop());
}
