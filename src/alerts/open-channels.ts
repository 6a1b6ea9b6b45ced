import type { AlertSettings } from "../domain/alerts/alert-settings.ts";
import type { Clock } from "../runtime/clock.ts";
import type { AlertChannel } from "./channel.ts";
import { createSlackChannel } from "./slack-channel.ts";
import { createSmtpChannel } from "./smtp-channel.ts";
import { createWebhookChannel, type Sign } from "./webhook-channel.ts";

/** Opens the configured channels. They have no open connection between two messages. */
export function openChannels(
  { webhook, slack, smtp }: AlertSettings,
  deps: { sign: Sign; userAgent: string; clock: Clock },
): AlertChannel[] {
  return [
    ...(webhook === null ? [] : [createWebhookChannel(webhook, deps)]),
    ...(slack === null ? [] : [createSlackChannel(slack, deps)]),
    ...(smtp === null ? [] : [createSmtpChannel(smtp, deps)]),
  ];
}
