import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { newWebhookSecret } from "../../../src/domain/webhook/secret.ts";
import { inCheckout } from "../../support/checkout.ts";
import { writeReadmeReceiver } from "../../support/docs/readme-receiver.ts";
import { buildGo, hasGo, hasPython } from "../../support/process/languages.ts";

/**
 * A program that cannot begin says one sentence of what to do, and ends with status 1. The receiver
 * of the README has 2, because its errors that nobody expects have 1.
 */

const WEBHOOK_SECRET = newWebhookSecret();
const other = createServer();
let folder = "";
/** A port of 127.0.0.1 that another program has. */
let taken = "";

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "chainbell-examples-"));
  await writeFile(join(folder, "addresses.txt"), "0x0000000000000000000000000000000000000001\n");
  await once(other.listen(0, "127.0.0.1"), "listening");
  const address = other.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  taken = String(address.port);
});

afterAll(async () => {
  other.close();
  await rm(folder, { recursive: true });
});

type Settings = Record<string, string>;

/** What it prints as it ends with the status. */
function refusal(
  [command, ...args]: readonly [string, ...string[]],
  settings: Settings,
  expected = 1,
) {
  const { status, stdout, stderr } = spawnSync(command, args, {
    cwd: folder,
    env: { PATH: process.env["PATH"], ...settings },
    encoding: "utf8",
    timeout: 30_000,
  });
  expect({ status, stdout }).toEqual({ status: expected, stdout: "" });
  return stderr;
}

const inNode = (...path: string[]) => {
  const program = inCheckout("examples", ...path);
  return () => [process.execPath, program] as const;
};
const inPython = (...path: string[]) => {
  const program = inCheckout("examples", ...path);
  return () => ["python3", program] as const;
};
const inGo = (...path: string[]) => {
  return () => {
    const program = join(folder, path.join("-"));
    buildGo(inCheckout("examples", ...path), program);
    return [program] as const;
  };
};

const asksForSecret = /^Set WEBHOOK_SECRET to the secret that was shown at registration[^\n]*\.\n$/;

test("the receiver of the README says that its secret is missing", async () => {
  const receiver = [process.execPath, await writeReadmeReceiver(folder)] as const;
  expect(refusal(receiver, {}, 2)).toMatch(asksForSecret);
});

describe.each([
  { language: "Node", isThere: true, of: inNode("receivers", "node.mjs") },
  { language: "Python", isThere: hasPython, of: inPython("receivers", "python.py") },
  { language: "Go", isThere: hasGo, of: inGo("receivers", "go.go") },
])("the receiver in $language", ({ isThere, of }) => {
  test.skipIf(!isThere)("says that its secret or its port is missing, wrong or taken", () => {
    const receiver = of();
    expect(refusal(receiver, {})).toMatch(asksForSecret);
    expect(refusal(receiver, { WEBHOOK_SECRET: "whsec_%%%%" })).toMatch(asksForSecret);
    const asksForPort = /^Set PORT to a free port: [^\n]+\.\n$/;
    expect(refusal(receiver, { WEBHOOK_SECRET, PORT: taken })).toMatch(/already in use/i);
    expect(refusal(receiver, { WEBHOOK_SECRET, PORT: taken })).toMatch(asksForPort);
    expect(refusal(receiver, { WEBHOOK_SECRET, PORT: "none" })).toMatch(asksForPort);
    expect(refusal(receiver, { WEBHOOK_SECRET, PORT: "70000" })).toMatch(asksForPort);
  });
});

describe.each([
  { language: "Python", isThere: hasPython, of: inPython("feed", "python.py"), store: "DATABASE" },
  { language: "Go", isThere: hasGo, of: inGo("feed", "go.go"), store: "FILE" },
])("the consumer of the feed in $language", ({ isThere, of, store }) => {
  test.skipIf(!isThere)("says that its key, its URL or its place is missing or wrong", () => {
    const consumer = of();
    expect(refusal(consumer, {})).toBe("Set API_KEY to a key with the scope read.\n");
    const API_KEY = "cb_any";
    expect(refusal(consumer, { API_KEY, [store]: join(folder, "none", "here") })).toMatch(
      new RegExp(`^Set ${store} to a file that can be written: [^\\n]+\\.\\n$`),
    );
    const asksForUrl = /^Set URL to the address of Chainbell's API, such as [^\n]+\.\n$/;
    expect(refusal(consumer, { API_KEY, URL: "127.0.0.1:3000" })).toMatch(asksForUrl);
    expect(refusal(consumer, { API_KEY, URL: "http://" })).toMatch(asksForUrl);
  });
});

test("the shop says that its key, its port or Chainbell is missing", () => {
  const shop = inNode("shop", "shop.mjs")();
  expect(refusal(shop, {})).toMatch(/^Set API_KEY to [^\n]+\.\n$/);
  const API_KEY = "cb_any";
  expect(refusal(shop, { API_KEY, PORT: taken })).toMatch(/^Set PORT to a free port: [^\n]+\.\n$/);
  expect(refusal(shop, { API_KEY, PORT: "0", API_URL: "http://127.0.0.1:1" })).toMatch(
    /^Chainbell did not answer at http:\/\/127\.0\.0\.1:1: [^\n]+\.\n$/,
  );
});

test("the receiver of two services says which of its settings is missing or wrong", () => {
  const receiver = inNode("moving", "receiver.mjs")();
  const set = {
    OLD_SECRET: "old",
    WEBHOOK_SECRET,
    CHAINS: "ETH_MAINNET=ethereum",
    ADDRESSES: "addresses.txt",
    PORT: taken,
  };
  expect(refusal(receiver, { ...set, OLD: "none" })).toMatch(/^Set OLD to one of [^\n]+\.\n$/);
  expect(refusal(receiver, { ...set, OLD_SECRET: "" })).toMatch(/^Set OLD_SECRET to [^\n]+\.\n$/);
  expect(refusal(receiver, { ...set, WEBHOOK_SECRET: "" })).toMatch(
    /^Set WEBHOOK_SECRET to [^\n]+\.\n$/,
  );
  expect(refusal(receiver, { ...set, CHAINS: "" })).toMatch(/^Set CHAINS to [^\n]+\.\n$/);
  expect(refusal(receiver, { ...set, CREDITS: "both" })).toMatch(/^Set CREDITS to [^\n]+\.\n$/);
  expect(refusal(receiver, { ...set, ADDRESSES: "none.txt" })).toMatch(
    /^Set ADDRESSES to [^\n]+\.\n$/,
  );
  expect(refusal(receiver, set)).toMatch(/^Set PORT to a free port: [^\n]+\.\n$/);
});
