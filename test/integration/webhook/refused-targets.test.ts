import { randomUUID } from "node:crypto";
import { afterAll, expect, test } from "vitest";
import { nothingAdded } from "../../../src/domain/webhook/outbound.ts";
import { newWebhookSecret } from "../../../src/domain/webhook/secret.ts";
import { systemClock } from "../../../src/runtime/clock.ts";
import { createTargetCheck } from "../../../src/webhook/check-target.ts";
import { createSender } from "../../../src/webhook/sender.ts";
import {
  inwardAddresses,
  inwardHosts,
  publicHosts,
} from "../../support/delivery/refused-targets.ts";

const policy = { ports: [8443], deny: [], allow: [], isLoopbackOpen: false };
const secret = newWebhookSecret();
const businessId = randomUUID();
const never = new AbortController().signal;

/** A name server that answers what its name says, so that a test needs no other. */
const resolve = async (name: string): Promise<string[]> => {
  const address = Buffer.from(name.split(".")[0] ?? "", "hex").toString();
  return address.split(",");
};
const nameOf = (...addresses: string[]) => `${Buffer.from(addresses.join()).toString("hex")}.test`;

const check = createTargetCheck({ policy, resolve, timeoutMs: 5_000 });
const sender = createSender({
  policy,
  timeoutMs: 5_000,
  userAgent: "test",
  extraCa: null,
  proxyUrl: null,
  resolve,
  clock: systemClock,
});
afterAll(() => sender.close());

const sent = {
  businessId,
  secret,
  nextSecret: null,
  notificationId: "018f",
  startedAt: new Date(),
  body: "{}",
  outbound: nothingAdded,
};
const post = (url: string) => sender.post({ ...sent, url }, never);

const targets = [
  ...inwardHosts.map((host) => `https://${host}/hook`),
  ...inwardAddresses.map((address) => `https://${nameOf(address)}/hook`),
  // One public address does not open a name that has an inward one too.
  ...inwardAddresses.slice(0, 6).map((address) => `https://${nameOf("8.8.8.8", address)}/hook`),
  "https://8.8.8.8:22/",
  "https://8.8.8.8:6379/",
  "http://8.8.8.8/",
  "https://user@8.8.8.8/",
  "https://user:secret@8.8.8.8/",
];

test("there are at least eighty of them", () => {
  expect(new Set(targets).size).toBeGreaterThanOrEqual(80);
});

test.each(targets)("%s is refused at registration, with a reason", async (url) => {
  await expect(check(url, businessId)).rejects.toMatchObject({
    code: "target_refused",
    message: expect.stringMatching(/refused: .{5,}\./),
  });
});

test.each(targets.filter((url) => !url.includes("@")))(
  "%s is refused when it is notified",
  async (url) => {
    expect(await post(url)).toMatchObject({ kind: "unanswered", errorKind: "target_refused" });
  },
);

test("a name that resolves to an internal address after its registration is refused when it is notified", async () => {
  const answers = [["8.8.8.8"], ["169.254.169.254"]];
  const rebinding = async () => answers.shift() ?? [];
  const options = { policy, resolve: rebinding, timeoutMs: 5_000 };
  const url = "https://rebinding.test/";
  expect(await createTargetCheck(options)(url, businessId)).toBe(url);
  const own = createSender({
    ...options,
    userAgent: "test",
    extraCa: null,
    proxyUrl: null,
    clock: systemClock,
  });
  expect(await own.post({ ...sent, url }, never)).toMatchObject({ errorKind: "target_refused" });
  await own.close();
});

test.each(publicHosts)("the public %s passes, as an address and behind a name", async (host) => {
  expect(await check(`https://${host}/hook`, businessId)).toBe(`https://${host}/hook`);
  const named = `https://${nameOf(host.replace(/^\[|\]$/g, ""))}:8443/hook`;
  expect(await check(named, businessId)).toBe(named);
});
