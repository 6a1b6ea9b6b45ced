import { expect, test } from "vitest";
import {
  type Alerts,
  type Need,
  needsOf,
  verdictOf,
} from "../../../console/src/pages/attention/needs.ts";
import type { Installed } from "../../../console/src/pages/parts/installed.ts";

type Alert = Alerts["alerts"][number];

const alert = (of: Pick<Alert, "kind"> & Partial<Alert>): Alert => ({
  severity: "critical",
  summary: "",
  since: null,
  chain: null,
  endpoint: null,
  asset: null,
  values: {},
  webhooks: [],
  runbook: "",
  ...of,
});

const installed = (of: Partial<Installed> = {}): Installed => ({
  version: "1",
  node: "v24",
  started_at: "2026-01-31T12:00:00.000Z",
  parts: [{ name: "disk", trouble: null, causes: [] }],
  migrations: [],
  pending_migrations: [],
  configuration: null,
  configuration_faults: [],
  configuration_changes: [],
  database: { size_bytes: "0", bytes_a_day: null, tables: [] },
  ...of,
});

const webhook = (id: string) => ({
  webhook_id: id,
  url: `https://${id}.example`,
  business_id: "acme",
  business_name: "Acme",
  since: "2026-01-31T12:00:00.000Z",
});

const silent = alert({
  kind: "ChainbellChainSilent",
  chain: "base",
  values: { silent_seconds: 7 },
});

/** Each case: the alerts, the installation, and what is to be done: of what, and the next step. */
test.each<[string, Partial<Alerts>, Partial<Installed>, [string, string][]]>([
  ["nothing", {}, {}, []],
  ["an alert of a chain", { alerts: [silent] }, {}, [["base", "/chains chain=base"]]],
  [
    "an alert of an endpoint, on the page of its chain",
    {
      alerts: [alert({ kind: "ChainbellEndpointFailing", chain: "base", endpoint: "rpc.example" })],
    },
    {},
    [["rpc.example", "/chains chain=base"]],
  ],
  [
    "each webhook that is deactivated",
    {
      alerts: [
        alert({
          kind: "ChainbellWebhookDeactivated",
          values: { webhooks: 2 },
          webhooks: [webhook("a"), webhook("b")],
        }),
      ],
    },
    {},
    [
      ["https://a.example", "activate a"],
      ["https://b.example", "activate b"],
    ],
  ],
  [
    "the webhooks that are named, and then how many there are",
    {
      alerts: [
        alert({
          kind: "ChainbellWebhookFailing",
          values: { webhooks: 60 },
          webhooks: [webhook("a")],
        }),
      ],
    },
    {},
    [
      ["https://a.example", "/deliveries business_id=acme&webhook_id=a"],
      ["Installation", "/outbox "],
    ],
  ],
  [
    "findings of the setup, the graver ones before alerts that can wait",
    {
      alerts: [alert({ kind: "ChainbellDeadRows", severity: "warning", values: { dead_rows: 2 } })],
    },
    {
      pending_migrations: ["1"],
      configuration_faults: [{ path: "port", message: "is wrong", code: "invalid", values: {} }],
    },
    [
      ["Installation", "/health "],
      ["Installation", "/health "],
      ["Installation", "/health "],
    ],
  ],
  [
    "a part in trouble, unless an alert tells of its chain",
    { alerts: [silent] },
    {
      parts: [
        { name: "watcher:base", trouble: "silent", causes: [] },
        { name: "watcher:ethereum", trouble: "stuck", causes: [] },
      ],
    },
    [
      ["base", "/chains chain=base"],
      ["Installation", "/health "],
    ],
  ],
  [
    "a channel that takes no alerts",
    {
      channels: [
        {
          channel: "slack",
          sent_at: null,
          waiting: 1,
          failure: "It answered 403",
          failure_code: "answered",
          failure_values: { answer: "403" },
        },
      ],
    },
    {},
    [["Installation", "npm run -s chainbell -- alert test"]],
  ],
])("there is to be done: %s", (_said, alerts, of, wanted) => {
  const needs = needsOf({ alerts: [], channels: [], ...alerts }, installed(of));
  expect(needs.map((need) => [need.thing.name, stepOf(need)])).toEqual(wanted);
  expect(new Set(needs.map(({ id }) => id)).size).toBe(needs.length);
  expect(needs.map(({ said }) => said).join()).not.toMatch(/[{}]/);
});

function stepOf({ step }: Need): string {
  if (step.does === "activate") return `activate ${step.webhookId}`;
  if (step.does === "run") return step.line;
  return `${step.at.path} ${new URLSearchParams(step.at.filters ?? {})}`;
}

test.each<[string, Alert[], string, string]>([
  ["nothing", [], "good", "All is well"],
  [
    "one thing",
    [silent],
    "bad",
    "One thing needs you. No endpoint of base has answered for 7.0\u00a0s.",
  ],
  [
    "two things that can wait",
    [
      alert({ kind: "ChainbellPriceStale", severity: "warning", chain: "base", asset: "USDC" }),
      alert({ kind: "ChainbellSnapshotOld", severity: "warning" }),
    ],
    "warn",
    "2 things need you. The worst: The price of USDC on base is too old: net worth leaves it out.",
  ],
])("the verdict of %s", (_said, alerts, tone, said) => {
  expect(verdictOf(needsOf({ alerts, channels: [] }, installed()))).toEqual({ tone, said });
});
