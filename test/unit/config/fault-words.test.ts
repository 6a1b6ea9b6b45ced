import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { z } from "zod";
import { loadConfig } from "../../../src/config/load-config.ts";
import { Fault, faultIn } from "../../../src/domain/fault.ts";

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "chainbell-config-"));
});

afterEach(() => rm(folder, { recursive: true, force: true }));

const shownFault = z.object({
  path: z.string(),
  code: z.string().optional(),
  values: z.record(z.string(), z.string()).optional(),
});

test("a fault of a value has a word and the values in its sentence", async () => {
  const text = `
webhooks: { schedule: [], allow: [{ cidr: 10.0.0.0/33, http: maybe }], ports: [0] }
access_token_lifetime: 500ms
prices: { refresh: 0s }
retention: { notifications: 12h }
alerts: { smtp: { url: "smtp://ops:pa%ss@mail.example.com", from: a@b.example, to: [a@b.example] } }
chains:
  - chain_id: [1]
    rpc: [ftp://a.example]
    confirmations: latest
    tracing: maybe
    reconcile_interval: soon
    poll_interval: 0
    patience: 1
    native_asset: { code: ETH, price: { usd: 1e3 } }
    assets: [{ code: USDC, address: "0x1", decimals: 99 }]
`;
  await writeFile(join(folder, "chainbell.yaml"), text);
  const fault = await loadConfig({ LOG_LEVEL: "loud" }, folder).catch(faultIn);
  const found = z.array(shownFault).parse(fault instanceof Fault ? fault.facts["faults"] : []);
  const shown = found.map(({ path, code = "invalid", values = {} }) => [path, code, values]);
  expect(shown).toEqual(
    expect.arrayContaining([
      ["LOG_LEVEL", "choice", { choices: expect.stringContaining("debug") }],
      ["chains[0].chain_id", "one_value", {}],
      ["chains[0].rpc[0]", "url", { schemes: "http://, https://, ws://, wss://" }],
      ["chains[0].confirmations", "confirmations", { most: "10000" }],
      ["chains[0].tracing", "choice", { choices: expect.stringContaining("parity") }],
      ["chains[0].reconcile_interval", "duration", {}],
      ["chains[0].poll_interval", "too_short", { least: "10ms" }],
      ["access_token_lifetime", "too_short", { least: "1s" }],
      ["prices.refresh", "too_short", { least: "100ms" }],
      ["retention.notifications", "too_short", { least: "30d" }],
      ["alerts.smtp.url", "invalid", {}],
      ["chains[0].patience", "unknown_key", {}],
      ["chains[0].native_asset.price.usd", "decimal", {}],
      ["chains[0].assets[0].address", "address", {}],
      ["chains[0].assets[0].decimals", "whole_number", { min: "0", max: "77" }],
      ["webhooks.schedule", "too_few", { least: "1" }],
      ["webhooks.allow[0].cidr", "address_range", {}],
      ["webhooks.allow[0].http", "true_or_false", {}],
    ]),
  );
});
