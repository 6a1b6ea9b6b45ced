import { hasZodFastifySchemaValidationErrors } from "fastify-type-provider-zod";
import { z } from "zod";
import { type Fault, faultIn, kindOf } from "../../domain/fault.ts";
import { fieldSentence } from "../../domain/text.ts";
import { faultStatus } from "./fault-status.ts";

type ErrorDetail = { field: string; message: string };

/** The message of a field that a request may not have. */
const unknownField = "unknown field";

/** An error as the caller sees it. */
export type ErrorAnswer = {
  status: number;
  code: string;
  message: string;
  details?: unknown[];
  /** The wait until a repetition makes sense. */
  retryAfterMs?: number;
};

/** The most faults of one request that an answer names. */
const maxDetails = 100;

/**
 * The answers to requests that Node, Fastify or a plugin refuses before a route is asked, by
 * status.
 */
const refusals: Record<number, readonly [code: string, message: string]> = {
  400: ["invalid_request", "The request cannot be read: send well-formed JSON."],
  403: ["forbidden", "This path is not served."],
  404: ["route_not_found", "No route has this path: see /openapi.json."],
  405: ["method_not_allowed", "This path does not take this method: use one of the header Allow."],
  406: ["not_acceptable", "No answer has a form that Accept allows: accept application/json."],
  408: ["request_timeout", "The request did not arrive in time: send it again."],
  411: ["length_required", "The request has no Content-Length: send it."],
  412: [
    "precondition_failed",
    "A condition in the headers does not hold: send the request without it.",
  ],
  413: ["payload_too_large", "The body is too large for this route: send less."],
  414: ["uri_too_long", "The URL is too long: shorten its parameters."],
  415: [
    "unsupported_media_type",
    "The body is not JSON: send it with Content-Type: application/json.",
  ],
  416: [
    "range_not_satisfiable",
    "The range lies outside of the resource: leave out the header Range.",
  ],
  417: [
    "expectation_failed",
    "The header Expect asks for something that is not offered: leave it out.",
  ],
  421: ["misdirected_request", "This service does not answer for this host: check the URL."],
  426: ["upgrade_required", "Send the request with HTTP/1.1."],
  429: ["rate_limited", "Too many requests: wait and send it again."],
  431: ["headers_too_large", "The headers are too large: send fewer or shorter ones."],
};

/** The statuses of these refusals. */
export const refusedStatuses: readonly number[] = Object.keys(refusals).map(Number);

/** The answer to a fault that is ours to mend. */
export const internal: ErrorAnswer = {
  status: 500,
  code: "internal_error",
  message: "Something went wrong on our side: try again, and quote the request_id if it stays.",
};

/** The answer where a part that the request needs cannot be reached. Its status is 503. */
export const outOfReach = {
  code: "unavailable",
  message: "The service cannot answer in time: send the request again.",
};

/** The value of a field as the caller sent it, or null where an answer must not repeat it. */
type GivenOf = (field: string) => string | null;

/**
 * The answer to an error. An unknown error answers no more than a 500. `givenOf` says which value a
 * field at fault has.
 */
export function toErrorAnswer(error: unknown, givenOf: GivenOf = () => null): ErrorAnswer {
  if (hasZodFastifySchemaValidationErrors(error)) return invalidAnswer(error.validation, givenOf);
  const fault = faultIn(error);
  if (fault !== undefined) return faultAnswer(fault, givenOf);
  return refusalAnswer(statusOf(error));
}

/** The answer to a request that Fastify or Node refuses on its own. */
export function refusalAnswer(status: number): ErrorAnswer {
  if (status === 503) return { status, ...outOfReach };
  const refusal = refusals[status] ?? (status >= 400 && status < 500 ? refusals[400] : undefined);
  if (refusal === undefined) return internal;
  const [code, message] = refusal;
  return { status, code, message };
}

function faultAnswer(fault: Fault, givenOf: GivenOf): ErrorAnswer {
  const status = faultStatus[kindOf(fault.code)];
  if (status === 500) return internal;
  const details = fault.facts["details"];
  const answer = { status, code: fault.code, message: withGiven(fault, givenOf) };
  const retryAfterMs = fault.facts["retryAfterMs"];
  return {
    ...answer,
    ...(Array.isArray(details) ? { details } : {}),
    ...(typeof retryAfterMs === "number" ? { retryAfterMs } : {}),
  };
}

/** A fault of one field, as `invalidField` makes it, says the value that was sent. */
function withGiven({ message, facts }: Fault, givenOf: GivenOf): string {
  const details = fieldDetails.safeParse(facts["details"]);
  const detail = details.data?.[0];
  if (detail === undefined || message !== fieldSentence(detail.field, detail.message))
    return message;
  return fieldSentence(detail.field, detail.message, givenOf(detail.field));
}

const fieldDetails = z.array(z.object({ field: z.string(), message: z.string() }));

type Validation = { keyword: string; instancePath: string; message?: string; params: object };

function invalidAnswer(validation: Validation[], givenOf: GivenOf): ErrorAnswer {
  const details = validation.flatMap(detailsOf);
  const first = details[0];
  const message = messageOf(first, givenOf);
  return {
    status: 400,
    code: "invalid_request",
    message,
    details: details.slice(0, maxDetails),
  };
}

/** A message about the first field at fault: its name, what it must be, and what it is. */
function messageOf(first: ErrorDetail | undefined, givenOf: GivenOf): string {
  if (first === undefined) return "The request does not fit its description: see /openapi.json.";
  if (first.message === unknownField) return `Unknown parameter: ${first.field}.`;
  return fieldSentence(first.field, first.message, givenOf(first.field));
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
      return { field: unknown, message: unknownField };
    });
  }
  return [{ field, message: ruleOf(message) }];
}

const typeNames: Readonly<Record<string, string>> = {
  string: "a text",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  array: "a list",
  object: "an object",
};

/** The rule in zod's own words of a type, in ours. */
function ruleOf(message = "must fit /openapi.json"): string {
  const [, type = ""] = /^Invalid input: expected (\w+), received \w+$/.exec(message) ?? [];
  return type === "" ? message : `expected ${typeNames[type] ?? type}`;
}

function statusOf(error: unknown): number {
  const isStatus = error instanceof Error && "statusCode" in error;
  return isStatus && typeof error.statusCode === "number" ? error.statusCode : 500;
}
