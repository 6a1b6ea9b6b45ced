import { longestSendMs } from "../domain/delivery/claim.ts";
import { Fault } from "../domain/fault.ts";
import { nothingAdded } from "../domain/webhook/outbound.ts";
import { listeningSecretOf } from "../domain/webhook/secret.ts";
import { readLiveness } from "../ledger/installation/read-liveness.ts";
import { followNotifications } from "../ledger/notifications/follow-notifications.ts";
import { readNotification } from "../ledger/notifications/read-notifications.ts";
import { systemClock as clock } from "../runtime/clock.ts";
import type { OpenLedger } from "./environment/open-ledger.ts";
import type { CommandLineTools } from "./operator.ts";

/** The time that `trigger` waits for the first attempt, and the pause between two looks, in ms. */
const patienceMs = 20_000;
const lookEveryMs = 100;

type Trials = Pick<CommandLineTools, "openListening" | "followFirstAttempt" | "isDevelopment">;

/**
 * The tools to try a webhook from the command line.
 * @param options.signals called if Ctrl-C must end the work in order, rather than at once
 */
export function createWebhookTrials(
  { config, db }: Pick<OpenLedger, "config" | "db">,
  options: { version: string; signals: () => { stopping: AbortSignal } },
): Trials {
  return {
    isDevelopment: config.mode === "development",
    async openListening({ businessId, forwardTo }) {
      const secret = listeningSecretOf(config.encryptionKeys, businessId);
      const sender = forwardTo === null ? null : await openForwarding(forwardTo, options.version);
      const { stopping } = options.signals();
      return {
        secret,
        notifications: followNotifications(db, businessId, { clock, signal: stopping }),
        forward:
          sender === null
            ? null
            : ({ id, body }) => {
                const signed = { secret, nextSecret: null, startedAt: new Date(clock.now()), body };
                const to = { businessId, url: sender.url, outbound: nothingAdded };
                return sender.post({ ...to, ...signed, notificationId: id }, stopping);
              },
        isStopping: () => stopping.aborted,
        close: async () => sender?.close(),
      };
    },
    async followFirstAttempt(name) {
      const { signal } = new AbortController();
      const giveUpAtMs = clock.elapsed() + patienceMs;
      for (;;) {
        const detail = await readNotification(db, name);
        const isOver = detail.attempts > 0 || detail.status === "held";
        if (isOver || clock.elapsed() >= giveUpAtMs) return detail;
        if ((await readLiveness(db)).dispatchers === 0) return detail;
        await clock.sleep(lookEveryMs, signal);
      }
    },
  };
}

/**
 * Opens the sender of deliveries without the target guard. The user who runs this verb named the
 * address, and it is their own.
 */
async function openForwarding(forwardTo: string, version: string) {
  const url = URL.canParse(forwardTo) ? new URL(forwardTo) : null;
  if (url === null || !/^https?:$/.test(url.protocol))
    throw new Fault(
      "invalid_url",
      `--forward-to must be an absolute http or https URL; it is '${forwardTo}'.`,
    );
  const port = Number(url.port) || (url.protocol === "https:" ? 443 : 80);
  const everywhere = ["0.0.0.0/0", "::/0"].map((cidr) => ({
    cidr,
    ports: [port],
    http: true,
    businesses: null,
  }));
  // Loaded only here: no other verb waits for the library of deliveries.
  const [{ createSender }, { createResolveHost }] = await Promise.all([
    import("../webhook/sender.ts"),
    import("../webhook/resolve-host.ts"),
  ]);
  const sender = createSender({
    policy: { ports: [port], deny: [], allow: everywhere, isLoopbackOpen: true },
    timeoutMs: longestSendMs,
    userAgent: `Chainbell/${version} listen`,
    extraCa: null,
    proxyUrl: null,
    resolve: createResolveHost(),
    clock,
  });
  return { ...sender, url: url.href };
}
