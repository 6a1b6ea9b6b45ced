import type { ErrorGuide } from "../error-guide.ts";
import type { AttemptErrorKind } from "./delivery.ts";

/** The guide to each `error` of an attempt without an answer, or with one that is not shown. */
export const attemptGuide: Readonly<Record<AttemptErrorKind | "withheld", ErrorGuide>> = {
  timeout: [
    "receiver",
    "later",
    "The receiver did not answer within 15 s.",
    "Answer first, and work afterwards.",
  ],
  dns: [
    "receiver",
    "later",
    "The host name of the URL has no address.",
    "Correct the name or its DNS records.",
  ],
  connection: [
    "receiver",
    "later",
    "The connection was refused or broke off.",
    "Check that the receiver runs and can be reached from outside.",
  ],
  tls: [
    "receiver",
    "later",
    "The TLS handshake failed.",
    "Renew the certificate, and send its whole chain.",
  ],
  target_refused: [
    "receiver",
    "later",
    "The URL leads to an address or a port that is refused.",
    "Use a public address on port 443, or ask the operator.",
  ],
  unrecorded: [
    "Chainbell",
    "later",
    "The process ended before it recorded the outcome. The receiver may have the request.",
    "Nothing. The notification is sent again under the same id.",
  ],
  withheld: [
    "operator",
    "later",
    "Only `webhooks.allow` opened the target. Its answer is not shown to the business.",
    "Ask the operator, or look into the receiver's own log.",
  ],
};
