import type { ErrorGuide } from "../../domain/error-guide.ts";

/** The guides for codes without a fault. Node, Fastify, or a replaced fault answers them. */
export const refusalGuide = {
  forbidden: ["caller", "no", "The path is not served.", "Use a path of `GET /openapi.json`."],
  method_not_allowed: [
    "caller",
    "no",
    "The path exists, but not with this method.",
    "Use a method of the header `Allow`.",
  ],
  not_acceptable: [
    "caller",
    "no",
    "No answer has a form that `Accept` allows.",
    "Accept `application/json`.",
  ],
  request_timeout: ["caller", "later", "The request did not arrive in time.", "Send it again."],
  length_required: [
    "caller",
    "no",
    "The request does not say how long its body is.",
    "Send `Content-Length`.",
  ],
  precondition_failed: [
    "caller",
    "no",
    "A condition in the request's headers does not hold.",
    "Read the resource, and send the request without the condition.",
  ],
  payload_too_large: [
    "caller",
    "no",
    "The body is larger than this route takes.",
    "Send less, in several requests where the route allows it.",
  ],
  uri_too_long: ["caller", "no", "The URL is too long.", "Shorten the parameters."],
  unsupported_media_type: [
    "caller",
    "no",
    "The body is not JSON.",
    "Send `Content-Type: application/json`.",
  ],
  range_not_satisfiable: [
    "caller",
    "no",
    "The requested range lies outside of the resource.",
    "Send the request without `Range`.",
  ],
  expectation_failed: [
    "caller",
    "no",
    "The header `Expect` asks for something that is not offered.",
    "Send the request without `Expect`.",
  ],
  misdirected_request: [
    "caller",
    "no",
    "The service does not answer for this host.",
    "Use the host name of the service.",
  ],
  upgrade_required: ["caller", "no", "The protocol is not supported.", "Use HTTP/1.1."],
  headers_too_large: [
    "caller",
    "no",
    "The headers are too large.",
    "Send fewer or shorter headers.",
  ],
  unavailable: [
    "operator",
    "later",
    "The service cannot answer in time.",
    "Send the request again.",
  ],
  internal_error: [
    "Chainbell",
    "later",
    "A fault inside, or in the operator's configuration. The answer shows no details.",
    "Send it again. If it stays, give the operator the `request_id`.",
  ],
} as const satisfies Record<string, ErrorGuide>;
