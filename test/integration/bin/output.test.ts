import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { expect, test } from "vitest";
import { peopleText } from "../../../src/bin/cli/output.ts";
import { inCheckout } from "../../support/checkout.ts";

test("a verb whose reader has ended says nothing, and ends as by SIGPIPE", async () => {
  const child = spawn(process.execPath, [inCheckout("dist", "bin", "cli.js"), "--help"], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  const ended = once(child, "exit");
  child.stdout.destroy();
  expect(await text(child.stderr)).toBe("");
  expect(await ended).toEqual([141, null]);
});

test("a long list of texts has a line for each, and a short one stands in its row", () => {
  const sentence =
    "A notification that is announced once more keeps its id, so a receiver acts once.";
  expect(peopleText({ why: [sentence, sentence], scopes: ["read", "webhooks"] })).toBe(
    `why\n  ${sentence}\n  ${sentence}\nscopes  read, webhooks\n`,
  );
});
