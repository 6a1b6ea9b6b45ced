import { hasZodFastifySchemaValidationErrors } from "fastify-type-provider-zod";
import { type Fault, faultIn, kindOf } from "../../domain/fault.ts";
import { faultStatus } from "./fault-status.ts";

type ErrorDetail = { field: string; message: string };

/** An error as the caller sees it. */
export type ErrorAnswer = {
  status: number;
  code: string;
  message: string;
  details?: unknown[];
  /** When it makes sense to try again. */
  retryAfterMs?: number;
};

/** Faults found in one request that one answer names. */
const maxDetails = 100;

/** Every status with which Node, Fastify or a plugin may refuse a request on its own, before a route is asked. */
const refusals: Record<number, readonly [code: string, message: string]> = {
  400: ["invalid_request", "The request cannot be read: send well-formed JSON."],
  403: ["forbidden", "This path is not served."],
  404: ["route_not_found", "There is nothing at this path."],
  405: ["method_not_allowed", "This path does not take that method: see the header allow."],
  406: ["not_acceptable", "Nothing of the kind that was asked for is served."],
  408: ["request_timeout", "The request did not arrive in time: send it again."],
  411: ["length_required", "Say how long the body is, with content-length."],
  412: ["precondition_failed", "The condition of the request does not hold."],
  413: ["payload_too_large", "The body is larger than this endpoint takes."],
  414: ["uri_too_long", "The URL is longer than this service takes."],
  415: ["unsupported_media_type", "Send the body with content-type application/json."],
  416: ["range_not_satisfiable", "The range lies outside of what is served."],
  417: ["expectation_failed", "What the request expects is not offered."],
  421: ["misdirected_request", "This service does not answer for that host."],
  426: ["upgrade_required", "Send the request with HTTP/1.1."],
  429: ["rate_limited", "Too many requests: wait and send it again."],
  431: ["headers_too_large", "The headers are larger than this service takes."],
};

/** The statuses of those. */
export const refusedStatuses: readonly number[] = Object.keys(refusals).map(Number);

/** Of what is ours to mend. */
export const internal: ErrorAnswer = {
  status: 500,
  code: "internal_error",
  message: "Something went wrong on our side: try again, and quote the request_id if it stays.",
};

/** Of what cannot be reached, at 503. */
export const outOfReach = {
  code: "unavailable",
  message: "The service cannot answer in time: send the request again.",
};

/** Sorts an error; of what is not known nothing is answered but a 500. */
export function toErrorAnswer(error: unknown): ErrorAnswer {
  if (hasZodFastifySchemaValidationErrors(error)) return invalidAnswer(error.validation);
  const fault = faultIn(error);
  if (fault !== undefined) return faultAnswer(fault);
  return refusalAnswer(statusOf(error));
}

/** What Fastify and Node refuse on their own. */
export function refusalAnswer(status: number): ErrorAnswer {
  if (status === 503) return { status, ...outOfReach };
  const refusal = refusals[status] ?? (status >= 400 && status < 500 ? refusals[400] : undefined);
  if (refusal === undefined) return internal;
  const [code, message] = refusal;
  return { status, code, message };
}

function faultAnswer(fault: Fault): ErrorAnswer {
  const status = faultStatus[kindOf(fault.code)];
  if (status === 500) return internal;
  const details = fault.facts["details"];
  const answer = { status, code: fault.code, message: fault.message };
  const retryAfterMs = fault.facts["retryAfterMs"];
  return {
    ...answer,
    ...(Array.isArray(details) ? { details } : {}),
    ...(typeof retryAfterMs === "number" ? { retryAfterMs } : {}),
  };
}

type Validation = { keyword: string; instancePath: string; message?: string; params: object };

function invalidAnswer(validation: Validation[]): ErrorAnswer {
  const details = validation.flatMap(detailsOf);
  const first = details[0];
  const about = first === undefined || first.field === "" ? "The body" : `The field ${first.field}`;
  return {
    status: 400,
    code: "invalid_request",
    message: `${about} is malformed: ${first?.message ?? "see the documentation"}.`,
    details: details.slice(0, maxDetails),
  };
}

function detailsOf({ keyword, instancePath, message, params }: Validation): ErrorDetail[] {
  const path = instancePath.split("/").filter((part) => part !== "");
  const field = path.reduce((text, part) => {
    if (/^\d+$/.test(part)) return `${text}[${part}]`;
    return text === "" ? part : `${text}.${part}`;
  }, "");
  if (keyword === "unrecognized_keys" && "keys" in params && Array.isArray(params.keys)) {
    return params.keys.map((key) => {
      const unknown = field === "" ? String(key) : `${field}.${key}`;
      return { field: unknown, message: "unknown field" };
    });
  }
  return [{ field, message: message ?? "malformed" }];
}

function statusOf(error: unknown): number {
  const isStatus = error instanceof Error && "statusCode" in error;
  return isStatus && typeof error.statusCode === "number" ? error.statusCode : 500;
}
