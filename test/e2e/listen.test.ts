import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { expect, onTestFinished, test } from "vitest";
import { RefusedWebhook } from "../../packages/webhooks/src/refusal.ts";
import { verify } from "../../packages/webhooks/src/verify.ts";
import { inCheckout } from "../support/checkout.ts";
import { startReceiver } from "../support/delivery/receiver.ts";
import { bareEnvironment } from "../support/process/bare-environment.ts";
import { temporaryDataDirectory } from "../support/process/data-directory.ts";
import { freePort } from "../support/process/free-port.ts";
import { npmStart, signalGroup, startTimeoutMs, untilReady } from "../support/process/npm-start.ts";
import { runVerb } from "../support/process/run-cli.ts";
import { waitFor } from "../support/wait-for.ts";

type Line = {
  listening?: { secret: string; business_id: string };
  body?: string;
  forwarded?: object;
  data?: object;
};

/** `listen --json` as a process of its own, with what it has printed. */
function listenIn(environment: Record<string, string>, ...args: string[]) {
  const launcher = inCheckout("scripts", "run.mjs");
  const child: ChildProcess = spawn(
    process.execPath,
    [launcher, "cli", "listen", "--json", ...args],
    {
      cwd: inCheckout(),
      env: { ...bareEnvironment(), ...environment },
      stdio: ["ignore", "pipe", "inherit"],
    },
  );
  const lines: Line[] = [];
  if (child.stdout !== null)
    createInterface(child.stdout).on("line", (line) => lines.push(JSON.parse(line)));
  const ended = new Promise<number | null>((resolve) => child.once("close", resolve));
  onTestFinished(() => void child.kill("SIGKILL"));
  return { child, lines, ended };
}

/** The bodies of all of them are held by test/unit/domain/delivery. */
const events = ["transaction.deposit", "transaction.reversed", "webhook.test"];

test("what is triggered is delivered, and seen and forwarded by whoever listens", async () => {
  const port = await freePort();
  const environment = { CHAINBELL_DATA_DIR: temporaryDataDirectory(), PORT: String(port) };
  const running = npmStart(environment);
  const { apiKey } = await untilReady(running);
  const webhook = await startReceiver();
  onTestFinished(webhook.stop);
  const local = await startReceiver();
  onTestFinished(local.stop);
  const registered = await fetch(`http://127.0.0.1:${port}/webhooks`, {
    method: "POST",
    headers: { "x-api-key": apiKey, "content-type": "application/json" },
    body: JSON.stringify({ url: webhook.url }),
  });
  const own = ((await registered.json()) as { data: { id: string; secret: string } }).data;

  const listening = listenIn(environment, "--forward-to", local.url);
  const another = listenIn(environment);
  const isListening = { what: "both to listen", timeoutMs: startTimeoutMs };
  await waitFor(() => listening.lines.length > 0 && another.lines.length > 0, isListening);
  const secret = listening.lines[0]?.listening?.secret ?? "";

  for (const event of events) {
    const { status, stdout } = await runVerb(["trigger", event, "--json"], environment);
    expect([status, JSON.parse(stdout).data]).toEqual([
      0,
      expect.objectContaining({ event, status: "delivered", status_code: 200, error: null }),
    ]);
  }
  const all = { what: "every event to be forwarded", timeoutMs: startTimeoutMs };
  // A line follows the answer to what was forwarded.
  const hasAll = ({ lines }: { lines: Line[] }) => lines.length > events.length;
  await waitFor(
    () => local.requests.length === events.length && hasAll(listening) && hasAll(another),
    all,
  );

  // What a business's own webhook received, byte for byte, and signed with another secret.
  expect(local.requests.map(({ rawBody }) => rawBody.toString())).toEqual(
    webhook.requests.map(({ rawBody }) => rawBody.toString()),
  );
  for (const { rawBody, headers } of local.requests) {
    expect(events).toContain(verify(rawBody, headers, secret).event);
    expect(() => verify(rawBody, headers, own.secret)).toThrow(RefusedWebhook);
  }
  for (const { rawBody, headers } of webhook.requests) verify(rawBody, headers, own.secret);
  expect(another.lines.slice(1).map(({ body }) => body)).toEqual(
    listening.lines.slice(1).map(({ body }) => body),
  );

  // Killed, it leaves nothing: the business still has its one webhook, and the next one uses the
  // same secret.
  listening.child.kill("SIGKILL");
  await listening.ended;
  another.child.kill("SIGINT");
  expect([await another.ended, another.lines.at(-1)]).toEqual([
    0,
    { success: true, data: { received: events.length, accepted: 0, refused: 0 } },
  ]);
  const listed = await runVerb(["webhook", "list", "--json"], environment);
  expect(JSON.parse(listed.stdout).data.map(({ id }: { id: string }) => id)).toEqual([own.id]);
  const next = listenIn(environment, "--forward-to", "http://127.0.0.1:9/nobody");
  await waitFor(() => next.lines.length > 0, isListening);
  expect(next.lines[0]?.listening?.secret).toBe(secret);
  await runVerb(["trigger", "webhook.test"], environment);
  await waitFor(() => next.lines.length > 1, all);
  expect(next.lines[1]?.forwarded).toMatchObject({ status_code: null, error: "connection" });
  const refused = await runVerb(["listen", "--forward-to", "ftp://x"], environment);
  expect([refused.status, refused.stderr]).toEqual([1, expect.stringContaining("absolute http")]);
  next.child.kill("SIGKILL");
  const doctor = await runVerb(["doctor", "--json"], environment);
  expect(JSON.parse(doctor.stdout).data[0].says).toMatch(/chainbell\.yaml is not there: /);
  signalGroup(running.child, "SIGINT");
  expect(await running.ended).toBe(0);

  // No daemon delivers now: the verb says so rather than wait.
  const kept = await runVerb(["trigger", "webhook.test", "--json"], environment);
  expect([kept.status, JSON.parse(kept.stdout).data]).toEqual([
    0,
    expect.objectContaining({ status: "waiting", says: expect.stringContaining("It is kept") }),
  ]);
});
