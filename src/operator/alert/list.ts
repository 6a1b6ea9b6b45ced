import { z } from "zod";
import type { AlertStart, ChannelReport } from "../../domain/alerts/alert-ledger.ts";
import { channelFailures } from "../../domain/alerts/channel-failure.ts";
import { conditionsOf, type Snapshot, sinceRemembered } from "../../domain/alerts/conditions.ts";
import { meaningsIn } from "../../domain/keys-of.ts";
import { presentAlerts, shownAlert } from "../../schema/alert.ts";
import { count, namedValues, timeText } from "../../schema/answers.ts";
import { defineReading } from "../define-verb.ts";

type Ports = {
  ledger: {
    readAlertSnapshot: (nowMs: number) => Promise<Snapshot>;
    readAlertStarts: () => Promise<readonly AlertStart[]>;
    readChannelReports: () => Promise<ChannelReport[]>;
  };
  clock: { now: () => number };
};

/** Lists the conditions that need an operator now, the worst first, and the channels for alerts. */
export const alertList = defineReading({
  noun: "alert",
  http: {
    method: "GET",
    path: "/alerts",
    summary: "What an operator has to know of now, the worst first",
    description:
      "Every condition that holds at this moment, also where no channel is configured. An alert is sent of one that lasts. `since` is what the ledger knows, or when the daemon noticed it first.",
    input: () => ({}),
  },
  cli: {
    name: "list",
    help: "List what an operator has to know of now, the worst first. Exit status 3 where there is anything.",
    examples: ["alert list", "alert list --json"],
    takes: {},
    hasFindings: ({ alerts }) => alerts.length > 0,
  },
  check: (input: object) => input,
  async call({ ledger, clock }: Ports) {
    const nowMs = clock.now();
    const snapshot = await ledger.readAlertSnapshot(nowMs);
    const starts = await ledger.readAlertStarts();
    const holding = sinceRemembered(conditionsOf(snapshot, nowMs), starts);
    return { holding, channels: await ledger.readChannelReports() };
  },
  answer: z.object({
    alerts: z.array(shownAlert),
    channels: z
      .array(
        z.object({
          channel: z.string().meta({ examples: ["slack"] }),
          sent_at: timeText.nullable(),
          waiting: count,
          failure: z
            .string()
            .nullable()
            .meta({
              description:
                "The channel's answer to the oldest message that it has not taken. Null: it has taken all.",
              examples: [null],
            }),
          failure_code: z
            .string()
            .nullable()
            .meta({
              description: `A stable word for \`failure\`. Null where there is none, or where an earlier release tried. ${meaningsIn(channelFailures)}`,
              examples: [null],
            }),
          failure_values: namedValues.meta({
            description: "The values in `failure`, for a text of your own.",
            examples: [{}],
          }),
        }),
      )
      .meta({ description: "The channels to which anything was to be sent within a week." }),
  }),
  present: ({ holding, channels }) => ({
    alerts: presentAlerts(holding),
    channels: channels.map(({ channel, sentAt, waiting, failure, failureCode, failureValues }) => ({
      channel,
      sent_at: sentAt?.toISOString() ?? null,
      waiting,
      failure,
      failure_code: failureCode,
      failure_values: { ...failureValues },
    })),
  }),
});
