import { expect, test } from "vitest";
import { type Ask, type Teller, together } from "../../support/chain/liar/lie.ts";

const latest: Teller = (call, ask) => ask({ ...call, params: ["latest", false] });
const another: Teller = async (call, ask) => ({ said: await ask(), of: call.params });

test.each([
  ["alone", [latest], "latest"],
  ["in front of another one", [latest, another], { said: "latest", of: ["latest", false] }],
  ["behind another one", [another, latest], { said: "latest", of: ["finalized"] }],
])("a lie that asks something else is given the answer to that, %s", async (_, tellers, told) => {
  const call = { method: "eth_getBlockByNumber", params: ["finalized"], together: 1 };
  const honest: Ask = async (asked) => (asked ?? call).params[0];
  expect(await together(tellers)(call, honest)).toEqual(told);
});
