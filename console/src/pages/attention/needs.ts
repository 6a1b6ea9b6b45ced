import { fill, fillCount, type Said, text, worded } from "../../text/text.ts";
import type { paths } from "../../wire/generated/api-paths.ts";
import { type Alert, alertText } from "../parts/alert-text.ts";
import type { Installed } from "../parts/installed.ts";
import { configFaultText, troubleText } from "../parts/setup-text.ts";

/** The alerts that hold, and the channels that they are sent by. */
export type Alerts =
  paths["/admin/alerts"]["get"]["responses"][200]["content"]["application/json"]["data"];

type Place = { path: string; filters?: Readonly<Record<string, string>> };

/** A thing of the installation, where it is shown, and the thing that it belongs to. */
type Thing = { name: string; at: Place; of?: { name: string; at: Place } };

type Page = keyof typeof text.attention.show;

/** The next step: a page, a webhook that is to be notified again, or a command. */
type Step =
  | { does: "show"; page: Page; at: Place }
  | { does: "activate"; webhookId: string }
  | { does: "run"; line: string };

/** Something that an operator is to do. */
export type Need = {
  id: string;
  severity: Alert["severity"];
  said: string;
  /** More about it; null: there is no more. */
  more: Said | null;
  since: string | null;
  thing: Thing;
  step: Step;
};

/** The page on which an alert is seen to. */
const pageOf: Readonly<Record<Alert["kind"], Page>> = {
  ChainbellLedgerUnreadable: "health",
  ChainbellChainNotWatched: "chain",
  ChainbellChainStopped: "chain",
  ChainbellChainSilent: "chain",
  ChainbellChainBehind: "chain",
  ChainbellChainHeld: "chain",
  ChainbellLedgerDiffers: "discrepancies",
  ChainbellMoneyUnproven: "chain",
  ChainbellNoDispatcher: "health",
  ChainbellNoRelay: "health",
  ChainbellMoneyLate: "outbox",
  ChainbellQueueOutOfReach: "health",
  ChainbellWebhookFailing: "outbox",
  ChainbellWebhookDeactivated: "outbox",
  ChainbellEndpointFailing: "chain",
  ChainbellEndpointBehind: "chain",
  ChainbellEndpointSlow: "chain",
  ChainbellUpgradeAhead: "chain",
  ChainbellAuditUnchained: "audit",
  ChainbellSnapshotOld: "health",
  ChainbellDeadRows: "health",
  ChainbellClaimsSlow: "outbox",
  ChainbellPriceStale: "chain",
};

const health: Place = { path: "/health" };

/**
 * The matters that an operator must see to, the worst first. The alerts keep the order of the API.
 * The findings of `doctor` that this process knows follow. `installed` null: it could not be read.
 */
export function needsOf({ alerts, channels }: Alerts, installed: Installed | null): Need[] {
  const needs = [
    ...alerts.flatMap(needsOfAlert),
    ...(installed === null ? [] : needsOfSetup(installed)),
    ...(installed === null ? [] : needsOfParts(installed, alerts)),
    ...needsOfChannels(channels),
  ];
  const critical = needs.filter(({ severity }) => severity === "critical");
  return [...critical, ...needs.filter(({ severity }) => severity === "warning")];
}

/** One sentence about the installation as a whole. */
export function verdictOf(needs: readonly Need[]): { tone: "good" | "warn" | "bad"; said: string } {
  const [worst] = needs;
  if (worst === undefined) return { tone: "good", said: text.attention.well };
  return {
    tone: worst.severity === "critical" ? "bad" : "warn",
    said: fillCount(text.attention.verdict, needs.length, { worst: worst.said }),
  };
}

/** An alert about webhooks is a need for each of them. */
function needsOfAlert(alert: Alert): Need[] {
  const { kind, severity, since, webhooks, values } = alert;
  const ofWebhooks = webhooks.map(
    ({
      webhook_id: webhookId,
      url,
      business_id: businessId,
      business_name: name,
      ...webhook
    }): Need => {
      const filters = { business_id: businessId, webhook_id: webhookId };
      const at = { path: "/deliveries", filters };
      const isOff = kind === "ChainbellWebhookDeactivated";
      return {
        id: `${kind} ${webhookId}`,
        severity,
        said: isOff ? text.attention.webhookOff : text.attention.webhookFails,
        more: null,
        since: webhook.since,
        thing: { name: url, at, of: { name, at: webhooksOf(businessId) } },
        step: isOff ? { does: "activate", webhookId } : { does: "show", page: "deliveries", at },
      };
    },
  );
  // The API lists the first webhooks alone.
  if (webhooks.length > 0 && webhooks.length === values["webhooks"]) return ofWebhooks;
  const thing = thingOf(alert);
  const page = pageOf[kind] ?? "health";
  const at = page === "chain" ? thing.at : { path: `/${page}` };
  const said = alertText(alert);
  const id = `${kind} ${thing.of?.name ?? ""} ${thing.name}`;
  return [
    ...ofWebhooks,
    { id, severity, said, more: null, since, thing, step: { does: "show", page, at } },
  ];
}

/** The webhooks of a business, beside the list of businesses. */
function webhooksOf(businessId: string): Place {
  return { path: `/businesses/${businessId}`, filters: { tab: "webhooks" } };
}

function thingOf({ chain, endpoint, asset }: Alert): Thing {
  if (chain === null) return { name: text.attention.installation, at: health };
  const of = { name: chain, at: { path: "/chains", filters: { chain } } };
  const name = endpoint ?? asset;
  return name === null ? of : { name, at: of.at, of };
}

/** A finding about the installation, which is shown on the page of its health. */
function finding(id: string, severity: Alert["severity"], said: string, more: Said | null): Need {
  const thing = { name: text.attention.installation, at: health };
  const step = { does: "show", page: "health", at: health } as const;
  return { id, severity, said, more, since: null, thing, step };
}

function needsOfSetup(of: Installed): Need[] {
  const words = text.attention;
  const { pending_migrations: pending, configuration_faults: faults } = of;
  const { configuration_changes: changes } = of;
  const [fault] = faults;
  return [
    ...(pending.length > 0
      ? [finding("migrations", "critical", fillCount(words.migrations, pending.length), null)]
      : []),
    ...(fault === undefined
      ? []
      : [finding("faults", "warning", words.faults, placed(fault.path, configFaultText(fault)))]),
    ...(changes.length > 0
      ? [finding("changes", "warning", fillCount(words.changes, changes.length), null)]
      : []),
  ];
}

/** A text after the place that it is about. */
function placed(path: string, { said, sentence }: Said): Said {
  return { said: `${path} ${said}`.trim(), sentence: `${path} ${sentence}`.trim() };
}

/** An alert about a chain says more than the trouble of a part that watches it. */
function needsOfParts({ parts }: Installed, alerts: readonly Alert[]): Need[] {
  const alerted = new Set(alerts.map(({ chain }) => chain));
  return parts.flatMap(({ name, trouble, causes }) => {
    const [, chain = null] = name.split(":");
    if (trouble === null || (chain !== null && alerted.has(chain))) return [];
    const more = troubleText({ trouble, causes });
    return [finding(`part ${name}`, "critical", fill(text.attention.part, { name }), more)];
  });
}

function needsOfChannels(channels: Alerts["channels"]): Need[] {
  return channels.flatMap(({ channel, failure, ...of }) => {
    if (failure === null) return [];
    const said = fill(text.attention.channel, { channel });
    const step = { does: "run", line: text.attention.channelCommand } as const;
    const values = { ...of.failure_values, sentence: failure };
    const more = {
      said: worded(text.channelFailure, of.failure_code ?? "", values),
      sentence: failure,
    };
    return [{ ...finding(`channel ${channel}`, "warning", said, more), step }];
  });
}
