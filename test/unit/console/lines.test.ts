import { expect, test } from "vitest";
import { linesOf } from "../../../console/src/format/lines.ts";

/** A text in parts of so many bytes. */
function inParts(text: string, bytes: number): ReadableStream<Uint8Array<ArrayBuffer>> {
  const whole = new TextEncoder().encode(text);
  return new ReadableStream({
    start(controller) {
      for (let at = 0; at < whole.length; at += bytes)
        controller.enqueue(whole.slice(at, at + bytes));
      controller.close();
    },
  });
}

async function all(lines: AsyncIterable<string>): Promise<string[]> {
  const read: string[] = [];
  for await (const line of lines) read.push(line);
  return read;
}

test.each([1, 2, 5, 100])("a text in parts of %i bytes has its lines whole", async (bytes) => {
  const lines = ["a", "", "Zürich €", "last"];
  expect(await all(linesOf(inParts(`${lines.join("\n")}\n`, bytes)))).toEqual(lines);
  expect(await all(linesOf(inParts(lines.join("\n"), bytes)))).toEqual(lines);
  expect(await all(linesOf(inParts("", bytes)))).toEqual([]);
});

test("a text that breaks off fails, and gives no end", async () => {
  const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
    start(controller) {
      controller.enqueue(new TextEncoder().encode("one\ntw"));
    },
    pull(controller) {
      controller.error(new TypeError("broke off"));
    },
  });
  const read: string[] = [];
  await expect(async () => {
    for await (const line of linesOf(body)) read.push(line);
  }).rejects.toThrow("broke off");
  expect(read).toEqual(["one"]);
});
