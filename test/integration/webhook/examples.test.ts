import { spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { exampleOfEvent } from "../../../src/api/description/events.ts";
import { notificationEvents } from "../../../src/domain/delivery/notification.ts";
import { keysOf } from "../../../src/domain/keys-of.ts";
import { newWebhookSecret } from "../../../src/domain/webhook/secret.ts";
import { signatureHeaders } from "../../../src/webhook/signature.ts";
import { writeReadmeReceiver } from "../../support/docs/readme-receiver.ts";
import { freePort } from "../../support/process/free-port.ts";
import { buildGo, hasGo, hasPython } from "../../support/process/languages.ts";
import { waitFor } from "../../support/wait-for.ts";

const root = new URL("../../../", import.meta.url);
const example = (name: string) => fileURLToPath(new URL(`examples/receivers/${name}`, root));

test("the receiver in Node accepts a genuine notification once, and nothing else", async () => {
  await expectToVerify(process.execPath, example("node.mjs"));
});

test.skipIf(!hasPython)("the receiver in Python does, too", async () => {
  await expectToVerify("python3", example("python.py"));
});

test.skipIf(!hasGo)("the receiver in Go does, too", async () => {
  const program = join(await temporary(), "receiver");
  buildGo(example("go.go"), program);
  await expectToVerify(program);
});

test("the receiver in the README accepts a genuine notification once, and nothing else", async () => {
  await expectToVerify(process.execPath, await writeReadmeReceiver(await temporary()));
});

/** A body of every event, with the line that tells of it, and of an alert, which has no data. */
const others = [
  ...keysOf(notificationEvents).map(exampleOfEvent),
  { event: "alerts", alerts: [{ name: "ChainbellChainStopped", status: "began" }] },
].map((of) => {
  const body = JSON.stringify({ ...of, id: of.event });
  const { amount, asset } = z
    .object({ data: z.record(z.string(), z.unknown()) })
    .parse({ data: {}, ...of }).data;
  const told = of.event.startsWith("transaction.") ? `${amount} ${asset}` : body;
  return { id: of.event, body, line: `${of.event} ${told}` };
});

/** Ends with the test. */
async function temporary(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "chainbell-receiver-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  return folder;
}

/**
 * Starts the receiver as a process of its own, and sends it what it must accept and what it must
 * refuse.
 */
async function expectToVerify(program: string, ...args: string[]): Promise<void> {
  const secret = newWebhookSecret();
  const port = await freePort();
  const child = spawn(program, args, {
    env: { PATH: process.env["PATH"], WEBHOOK_SECRET: secret, PORT: String(port) },
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(() => {
    child.kill("SIGKILL");
  });
  const lines: string[] = [];
  createInterface({ input: child.stdout }).on("line", (line) => lines.push(line));
  const body = JSON.stringify({
    id: "018f",
    event: "transaction.deposit",
    data: { amount: "1.5", asset: "ETH" },
  });
  const timestampSec = Math.floor(Date.now() / 1000);
  const signed = (notificationId: string, of: string) => ({
    headers: signatureHeaders({
      secret,
      nextSecret: null,
      ed25519Keys: [],
      notificationId,
      timestampSec,
      body: of,
    }),
    body: of,
  });
  const { headers } = signed("018f", body);
  const post = async (sent: { headers: Record<string, string>; body: string }) =>
    (await fetch(`http://127.0.0.1:${port}/`, { method: "POST", ...sent })).status;

  await waitFor(() => post({ headers, body }), {
    what: "the receiver to answer",
    timeoutMs: 10_000,
  });
  expect(await post({ headers, body })).toBe(204);
  expect(await post({ headers, body: body.replace("1.5", "9.5") })).toBe(401);
  expect(await post({ headers: {}, body })).toBe(401);
  await waitFor(() => lines.length > 0, { what: "its line", timeoutMs: 5_000 });
  expect(lines).toEqual(["transaction.deposit 1.5 ETH"]);
  for (const { id, body } of others) expect([id, await post(signed(id, body))]).toEqual([id, 204]);
  await waitFor(() => lines.length > others.length, { what: "a line each", timeoutMs: 5_000 });
  expect(lines.slice(1)).toEqual(others.map(({ line }) => line));
}

test.skipIf(!hasPython)("the consumer of the feed in Python says why it asks again", async () => {
  await expectToComplain("python3", fileURLToPath(new URL("examples/feed/python.py", root)));
});

test.skipIf(!hasGo)("the consumer of the feed in Go does, too", async () => {
  const program = join(await temporary(), "consumer");
  buildGo(fileURLToPath(new URL("examples/feed/go.go", root)), program);
  await expectToComplain(program);
});

/** Starts a consumer whose URL nobody answers at. */
async function expectToComplain(program: string, ...args: string[]): Promise<void> {
  const folder = await temporary();
  const url = `http://127.0.0.1:${await freePort()}`;
  const child = spawn(program, args, {
    env: {
      PATH: process.env["PATH"],
      URL: url,
      API_KEY: "cb_any",
      DATABASE: join(folder, "credits.sqlite"),
      FILE: join(folder, "credits.jsonl"),
    },
    stdio: ["ignore", "inherit", "pipe"],
  });
  onTestFinished(() => {
    child.kill("SIGKILL");
  });
  const complaints: string[] = [];
  createInterface({ input: child.stderr }).on("line", (line) => complaints.push(line));
  await waitFor(() => complaints.length > 0, { what: "a complaint", timeoutMs: 10_000 });
  expect(complaints[0]).toMatch(/^503, asked again in 1 s: .*refused/);
}
