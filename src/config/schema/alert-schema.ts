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
        url: url(
          ["https:", "http:"],
          "The URL to which alerts are POSTed as JSON. It may be private.",
        ),
        secret: matching(
          /^whsec_[A-Za-z0-9+/]{32,100}={0,2}$/,
          "whsec_ and at least 24 bytes in base64",
          "The secret that signs alerts, as notifications are signed. Take it from the environment. Default: alerts are not signed.",
        ).optional(),
      })
      .optional(),
    slack: z
      .strictObject({
        url: url(
          ["https:", "http:"],
          "An incoming webhook of Slack or Mattermost, or of Discord with /slack at its end. Take it from the environment.",
        ),
      })
      .optional(),
    smtp: z
      .strictObject({
        url: url(
          ["smtps:", "smtp:"],
          "The mail server with user and password. Take it from the environment. smtps:// means TLS, smtp:// STARTTLS.",
        ),
        from: mailAddress("The sender, such as chainbell@example.com."),
        to: z
          .array(mailAddress("An address that is mailed."))
          .min(1, "expected at least one address")
          .max(50, "expected at most 50 addresses"),
      })
      .optional(),
    repeat: durationMs(
      30 * dayMs,
      "The pause after which a condition that still holds is alerted again. Default: 4h.",
      minuteMs,
    ).optional(),
    resolve_after: durationMs(
      dayMs,
      "The time for which a condition must be gone before its alert is resolved. Default: 5m.",
    ).optional(),
    for: z.partialRecord(z.enum(alertKindNames), holding).optional().meta({
      description:
        "The time for which a condition has to hold before it is alerted, by the name of its runbook. Default: as in monitoring/alerts.yml.",
    }),
    ignore: z
      .array(oneOf(alertKindNames, "The name of a runbook."))
      .max(100, "expected at most 100 names")
      .optional()
      .meta({ description: "The names of conditions that are not alerted." }),
  })
  .refine(
    ({ webhook, slack, smtp }) => [webhook, slack, smtp].some((one) => one !== undefined),
    "expected one of webhook, slack and smtp at least: else nobody is alerted",
  )
  .meta({
    description:
      "The channels that alert the operator, and the times. Without it nobody is alerted.",
  });
