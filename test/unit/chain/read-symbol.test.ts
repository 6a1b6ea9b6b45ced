import { encodeAbiParameters } from "viem/utils";
import { describe, expect, it } from "vitest";
import { symbolIn } from "../../../src/chain/balances/read-symbol.ts";

const bytesOf = (hex: string) => Buffer.from(hex.slice(2), "hex");
const saying = (text: string) =>
  symbolIn(bytesOf(encodeAbiParameters([{ type: "string" }], [text])));

describe("the symbol that a contract says", () => {
  it.each([
    ["a string", saying("USDT"), "USDT"],
    [
      "32 bytes",
      symbolIn(bytesOf(`0x${Buffer.from("MKR").toString("hex").padEnd(64, "0")}`)),
      "MKR",
    ],
    ["more than 32 characters", saying("💰".repeat(40)), "💰".repeat(32)],
    ["what a terminal would act on", saying("US\u202eDT\u001b[2J"), "US\\u202eDT\\u001b[2J"],
    ["a character that PostgreSQL refuses", saying("A\u0000B"), "A\\u0000B"],
    ["nothing", symbolIn(new Uint8Array()), null],
    ["blanks", saying("   "), null],
    ["no text at all", symbolIn(bytesOf(`0x${"ff".repeat(64)}`)), null],
    [
      "a length beyond its end",
      symbolIn(bytesOf(`0x${"00".repeat(31)}20${"00".repeat(31)}40`)),
      null,
    ],
    ["bytes that are no UTF-8", symbolIn(bytesOf(`0x41ff${"00".repeat(30)}`)), "A\ufffd"],
  ])("of %s", (_, found, expected) => {
    expect(found).toBe(expected);
  });
});
