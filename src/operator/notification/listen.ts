import type { AttemptResult } from "../../domain/delivery/delivery.ts";
import { defineCommand } from "../define-command.ts";
import { optional, text } from "../parameter.ts";
import type { Emit } from "../verb-bindings.ts";
import { type BusinessPorts, businessOf } from "./business-of.ts";

type Written = { id: string; body: string };

type Forwarded = AttemptResult & { latencyMs: number };

/** The notifications of one business from now on, and where to forward them. */
type Listening = {
  /**
   * Signs what is forwarded. The same in every session with this business, and not a webhook's
   * secret.
   */
  secret: string;
  /** Ends when the user stops the verb. */
  notifications: AsyncIterable<Written>;
  /**
   * POSTs a notification once, as a delivery would: the same body, signed now. Null: nothing is
   * forwarded.
   */
  forward: ((notification: Written) => Promise<Forwarded>) | null;
  isStopping: () => boolean;
  close: () => Promise<void>;
};

export type ListenPorts = BusinessPorts & {
  /** @throws Fault `invalid_url` if `forwardTo` is not an http or https URL */
  openListening: (asked: { businessId: string; forwardTo: string | null }) => Promise<Listening>;
  emit: Emit;
};

type Input = { business: string | undefined; forwardTo: string | undefined };

/**
 * Prints each notification of a business when it is written, and forwards it, until it is stopped.
 * Only reads the ledger, and registers nothing. The business's own webhook is notified as usual,
 * and nothing has to be cleaned up (docs/decisions/0046-listen-reads-the-ledger.md). Any number may
 * listen at once.
 * @throws Fault `business_not_found`, `invalid_url`, `database_unavailable`
 */
export const listen = defineCommand({
  noun: null,
  name: "listen",
  help: "Print each notification as it is written, and forward it, until Ctrl-C. The business's webhook is notified too.",
  examples: ["listen", "listen --forward-to http://127.0.0.1:8080/hook"],
  takes: {
    business: optional(
      "--business <id>",
      text,
      "the business; otherwise the only one, or the demo business",
    ),
    forwardTo: optional("--forward-to <url>", text, "POST each one there too, signed, once"),
  },
  run: async (ports: ListenPorts, { business, forwardTo }: Input) => {
    const { id, name } = await businessOf(ports, business);
    const listening = await ports.openListening({ businessId: id, forwardTo: forwardTo ?? null });
    const counts = { received: 0, accepted: 0, refused: 0 };
    try {
      const { secret } = listening;
      ports.emit(
        { listening: { business_id: id, secret, forward_to: forwardTo ?? null } },
        `Listening to ${name} (${id}). Ctrl-C ends it.\nForwarded notifications are signed with ${secret}`,
      );
      for await (const notification of listening.notifications) {
        counts.received += 1;
        const result = (await listening.forward?.(notification)) ?? null;
        if (listening.isStopping()) break;
        if (result !== null) counts[isAccepted(result) ? "accepted" : "refused"] += 1;
        ports.emit(documentOf(notification, result), lineOf(notification, result));
      }
    } finally {
      await listening.close();
    }
    return counts;
  },
});

function isAccepted(result: Forwarded): boolean {
  return result.kind === "answered" && result.statusCode >= 200 && result.statusCode < 300;
}

function documentOf({ body }: Written, result: Forwarded | null): object {
  const forwarded =
    result === null
      ? null
      : {
          status_code: result.kind === "answered" ? result.statusCode : null,
          error: result.kind === "answered" ? null : result.errorKind,
          latency_ms: result.latencyMs,
        };
  return { body, forwarded };
}

/** The line about a notification, and about its way to the receiver. Null: it was not forwarded. */
export function lineOf({ id, body }: Written, result: Forwarded | null): string {
  const { event, timestamp, data } = JSON.parse(body);
  // An event of a balance has no amount, and one of an unlisted token has no asset either.
  const amount = data.amount ?? data.balance ?? data.rawAmount;
  const asset = data.asset ?? data.contract;
  const what = `${timestamp}  ${event}  ${amount} ${asset}  ${data.status}  ${id}`;
  if (result === null) return what;
  const outcome = result.kind === "answered" ? result.statusCode : `failed (${result.errorKind})`;
  return `${what}  -> ${outcome} in ${result.latencyMs} ms`;
}
