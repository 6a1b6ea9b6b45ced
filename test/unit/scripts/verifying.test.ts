import { expect, test } from "vitest";
import { verifyingArgs } from "../../../scripts/verifying/command-line.ts";
import { inCheckout } from "../../support/checkout.ts";

const file = inCheckout("package.json");
const key = Buffer.alloc(32, 1).toString("base64");

test("a file and a key are taken as they are", () => {
  expect(verifyingArgs("verify-statement", [], [file, "--key", key])).toEqual({
    file,
    key,
    against: null,
  });
});

test.each([
  [[], "usage: node scripts/run.mjs verify-statement FILE [--key KEY]"],
  [[file, "--key", "algorithm"], "--key 'algorithm' is neither the base64 of 32 bytes nor a file"],
  [[`${file}.absent`, "--key", key], `There is no file ${file}.absent.`],
  [[file, "--against", file], "usage: node scripts/run.mjs verify-statement FILE [--key KEY]"],
])("%j is refused as a wrong command line, which needs no stack", (args, message) => {
  // By such a code scripts/run.mjs prints the message and the head of the tool, and ends with 1.
  const refused = expect.objectContaining({
    message: expect.stringContaining(message),
    code: expect.stringMatching(/^ERR_PARSE_ARGS/),
  });
  expect(() => verifyingArgs("verify-statement", [], args)).toThrow(refused);
});
