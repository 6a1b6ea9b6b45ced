import { z } from "zod";
import { alertKindNames } from "../../domain/alerts/alert-kinds.ts";
import { durationMs, matching, oneOf, url } from "./fields.ts";

// The settings of alerts in chainbell.yaml.

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;

const mailAddress = (description: string) =>
  matching(/^[^\r\n@]{1,200}@[^\r\n@]{1,200}$/, "an address such as ops@example.com", description);

const holding = durationMs(
  7 * dayMs,
  "The time for which the condition has to hold before it is alerted.",
);

export const alerts = z
  .strictObject({
    webhook: z
      .strictObject({
        url: url(["https:", "http:"], "Where alerts are POSTed as JSON. It may be private."),
        secret: matching(
          /^whsec_[A-Za-z0-9+/]{32,100}={0,2}$/,
          "whsec_ and at least 24 bytes in base64",
          "Signs them as notifications are signed, best from the environment. Default: they are not signed.",
        ).optional(),
      })
      .optional(),
    slack: z
      .strictObject({
        url: url(
          ["https:", "http:"],
          "An incoming webhook of Slack or Mattermost, or of Discord with /slack at its end, best from the environment.",
        ),
      })
      .optional(),
    smtp: z
      .strictObject({
        url: url(
          ["smtps:", "smtp:"],
          "The mail server with user and password, best from the environment: smtps:// is TLS, smtp:// STARTTLS.",
        ),
        from: mailAddress("The sender, such as chainbell@example.com."),
        to: z
          .array(mailAddress("Who is mailed."))
          .min(1, "expected at least one address")
          .max(50, "expected at most 50 addresses"),
      })
      .optional(),
    repeat: durationMs(
      30 * dayMs,
      "While a condition holds, it is alerted again after this. Default: 4h.",
    )
      .refine((ms) => ms >= minuteMs, "expected at least 1m")
      .optional(),
    resolve_after: durationMs(
      dayMs,
      "An alert is resolved once its condition has been gone for this. Default: 5m.",
    ).optional(),
    for: z.partialRecord(z.enum(alertKindNames), holding).optional().meta({
      description:
        "The time for which a condition has to hold before it is alerted, by the name of its runbook. Default: as in monitoring/alerts.yml.",
    }),
    ignore: z
      .array(oneOf(alertKindNames, "The name of a runbook."))
      .max(100, "expected at most 100 names")
      .optional()
      .meta({ description: "Conditions that are not alerted." }),
  })
  .refine(
    ({ webhook, slack, smtp }) => [webhook, slack, smtp].some((one) => one !== undefined),
    "expected one of webhook, slack and smtp at least: else nobody is alerted",
  )
  .meta({ description: "Where the operator is alerted, and when. Without it nobody is." });
