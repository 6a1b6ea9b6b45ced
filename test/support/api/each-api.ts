import { eachTest } from "../each-test.ts";
import { openTestApi, type TestApi } from "./test-api.ts";

/** The API over a fresh ledger for each test, see eachTest. */
export function eachTestApi(): TestApi {
  return eachTest(openTestApi, (api) => api.stop());
}
