import type { AlertPolicy } from "./decide.ts";

/** Ways to reach an operator, in the order in which they are shown. */
const channelNames = ["webhook", "slack", "smtp"] as const;

export type ChannelName = (typeof channelNames)[number];

/**
 * The channels by which the operator is alerted, and the policy. At least one channel is not null.
 */
export type AlertSettings = {
  policy: AlertPolicy;
  /**
   * The secret signs messages as the secret of a business's webhook does; null: messages are not
   * signed.
   */
  webhook: { url: string; secret: string | null } | null;
  slack: { url: string } | null;
  /**
   * `smtps://` is TLS from the start, `smtp://` is STARTTLS. The URL has a user and a password if
   * the server wants them.
   */
  smtp: { url: string; from: string; to: readonly string[] } | null;
};

/** The channels that are configured. */
export function channelsOf(settings: AlertSettings): ChannelName[] {
  return channelNames.filter((name) => settings[name] !== null);
}
