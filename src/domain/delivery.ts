/** As the API shows it. `held`: waiting, but the webhook is inactive or there is none. */
export type DeliveryStatus = "waiting" | "delivered" | "exhausted" | "held" | "cancelled";

/** Why an attempt got no answer. */
export type AttemptErrorKind =
  | "timeout"
  | "dns"
  | "connection"
  | "tls"
  | "target_refused"
  | "unrecorded";

/** What one POST came to. `response` is the first 1 KB of the answer. */
export type AttemptResult =
  | { kind: "answered"; statusCode: number; retryAfterMs: number | null; response: string }
  | { kind: "unanswered"; errorKind: AttemptErrorKind };
