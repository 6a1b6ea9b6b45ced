import type { AlertChannel } from "../../alerts/channel.ts";
import { openChannels as open } from "../../alerts/open-channels.ts";
import type { AlertSettings } from "../../domain/alerts/alert-settings.ts";
import { systemClock as clock } from "../../runtime/clock.ts";
import { signatureHeaders } from "../../webhook/signature.ts";

/** Opens the channels of a configuration. Signed messages use the same scheme as notifications. */
export function openChannels(settings: AlertSettings, userAgent: string): AlertChannel[] {
  return open(settings, {
    userAgent,
    clock,
    sign: ({ secret, id, body }) =>
      signatureHeaders({
        secret,
        nextSecret: null,
        notificationId: id,
        body,
        ed25519Keys: [],
        timestampSec: Math.floor(clock.now() / 1_000),
      }),
  });
}
