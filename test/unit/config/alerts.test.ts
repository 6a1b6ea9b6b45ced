import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { inspectConfig } from "../../../src/config/load-config.ts";
import { secretsOf } from "../../../src/config/secrets.ts";
import { usualPolicy } from "../../../src/domain/alerts/decide.ts";

/** What a file with these alerts says, and what is wrong with it. */
async function inspect(alerts: object | undefined) {
  const folder = await mkdtemp(join(tmpdir(), "chainbell-config-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  await writeFile(join(folder, "chainbell.yaml"), JSON.stringify({ alerts }));
  const { config, faults } = await inspectConfig({}, folder);
  return {
    alerts: config?.alerts,
    secrets: config === null ? [] : secretsOf(config),
    faults: faults.map(({ path, message }) => `${path}: ${message}`),
  };
}

const slack = {
  url: "https://hooks.slack.com/services/T00000000/B00000000/abcdefghijklmnopqrstuvwx",
};

test("there are none without a channel, and they are as the rules for Prometheus where nothing else is said", async () => {
  expect((await inspect(undefined)).alerts).toBeNull();
  expect((await inspect({ slack })).alerts).toEqual({
    policy: usualPolicy,
    webhook: null,
    smtp: null,
    slack,
  });
  const said = {
    slack,
    repeat: "1h",
    resolve_after: "1m",

    for: { ChainbellChainBehind: "15m" },
    ignore: ["ChainbellPriceStale"],
  };
  expect((await inspect(said)).alerts?.policy).toEqual({
    repeatMs: 3_600_000,
    resolveAfterMs: 60_000,

    forMs: { ChainbellChainBehind: 900_000 },
    ignored: ["ChainbellPriceStale"],
  });
});

test("the secrets of their channels are known", async () => {
  const secret = `whsec_${"A".repeat(43)}=`;
  const { secrets } = await inspect({
    webhook: { url: "https://a.example/hook", secret },
    slack,
    smtp: { url: "smtp://ops:p4ss%2Fword@mail", from: "a@b.c", to: ["d@e.f"] },
  });
  const login = Buffer.from("\u0000ops\u0000p4ss/word").toString("base64");
  for (const one of ["abcdefghijklmnopqrstuvwx", "p4ss%2Fword", secret, login])
    expect(secrets).toContain(one);
  expect(secrets).not.toContain("hook");
});

test("what is wrong is named, and no value of it", async () => {
  const { faults } = await inspect({
    webhook: { url: "ftp://secret.example", secret: "mine" },
    smtp: { url: "mail", from: "me", to: [] },
    for: { ChainbellNothing: "1m" },
    ignore: ["it"],
  });
  expect(faults).toEqual([
    "alerts.webhook.url: expected a URL that begins with https:// or http://",
    "alerts.webhook.secret: expected whsec_ and at least 24 bytes in base64",
    "alerts.smtp.url: expected a URL that begins with smtps:// or smtp://",
    "alerts.smtp.from: expected an address such as ops@example.com",
    "alerts.smtp.to: expected at least one address",
    "alerts.for.ChainbellNothing: unknown key",
    expect.stringMatching(/^alerts\.ignore\[0\]: expected one of: ChainbellLedgerUnreadable/),
  ]);
  expect((await inspect({ repeat: "1h" })).faults).toEqual([
    "alerts: expected one of webhook, slack and smtp at least: else nobody is alerted",
  ]);
});
