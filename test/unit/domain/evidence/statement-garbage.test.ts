import { getHeapSpaceStatistics } from "node:v8";
import { expect, test } from "vitest";
import { statementIn } from "../../../../src/domain/evidence/statement-formats.ts";

const signed = { digest: "ab".repeat(32), signature: { keyId: "0123456789abcdef", value: "c2ln" } };

/** The lines of a statement with so many entries, whose amounts and numbers are short. */
async function* textsOf(entries: number): AsyncGenerator<string> {
  yield '{"line":"statement","statement":2}\n';
  for (let first = 1_000_000; first < 1_000_000 + entries; first += 100) {
    let text = "";
    for (let id = first; id < first + 100; id += 1)
      text += `{"amount":"1${id}","amount_atomic":"2${id}","balance":"3${id}","entry_id":"${id}","line":"entry","usd_value":"4${id}"}\n`;
    yield text;
  }
}

/** V8 moves there what stays, and collects it seldom. */
function oldSpaceMb(): number {
  const old = getHeapSpaceStatistics().find(({ space_name: name }) => name === "old_space");
  return (old?.space_used_size ?? Number.NaN) / 1_000_000;
}

test("no text of an entry stays in memory after its line is given", async () => {
  const before = oldSpaceMb();
  let most = before;
  let length = 0;
  // Their short texts would take 24 bytes each.
  for await (const part of statementIn("csv", signed, textsOf(400_000))) {
    length += part.length;
    most = Math.max(most, oldSpaceMb());
  }
  expect(length).toBeGreaterThan(10_000_000);
  expect(most - before).toBeLessThan(16);
});
