import { hasZodFastifySchemaValidationErrors } from "fastify-type-provider-zod";
import { z } from "zod";
import { type Fault, faultIn, kindOf } from "../../domain/fault.ts";
import { problemOfRule } from "../../domain/field-problem.ts";
import { type FieldRule, fieldSentence, unknownField } from "../../domain/text.ts";
import { fieldDetail } from "../../schema/answers.ts";
import { otherRule } from "../../schema/issue-rules.ts";
import { faultStatus } from "./fault-status.ts";

/** An error as the caller sees it. */
export type ErrorAnswer = {
  status: number;
  code: string;
  message: string;
  details?: unknown[];
  /** The time after which it makes sense to repeat the request. */
  retryAfterMs?: number;
};

/** The most faults of one request that an answer names. */
const maxDetails = 100;

/**
 * The answers to requests that Node, Fastify or a plugin refuses before they reach a route, by
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

/** The answer to a fault that is the server's, not the caller's. */
export const internal: ErrorAnswer = {
  status: 500,
  code: "internal_error",
  message: "Something went wrong on our side: try again, and quote the request_id if it stays.",
};

/** The answer if a part that the request needs is out of reach. Its status is 503. */
export const outOfReach = {
  code: "unavailable",
  message: "The service cannot answer in time: send the request again.",
};

/** Returns the value of a field as the caller sent it. Null: an answer must not repeat it. */
type GivenOf = (field: string) => string | null;

/**
 * Makes the answer to an error. An unknown error becomes a 500 without details.
 * @param givenOf finds the value that a wrong field has
 */
export function toErrorAnswer(error: unknown, givenOf: GivenOf = () => null): ErrorAnswer {
  if (hasZodFastifySchemaValidationErrors(error)) return invalidAnswer(error.validation, givenOf);
  const fault = faultIn(error);
  if (fault !== undefined) return faultAnswer(fault, givenOf);
  return refusalAnswer(statusOf(error));
}

/** Makes the answer to a request that Fastify or Node itself refuses. */
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
  const rules = fieldRules.safeParse(fault.facts["details"]).data;
  const answer = { status, code: fault.code, message: withGiven(fault, rules?.[0], givenOf) };
  const retryAfterMs = fault.facts["retryAfterMs"];
  return {
    ...answer,
    ...(rules === undefined ? {} : { details: sentencesOf(rules, givenOf) }),
    ...(typeof retryAfterMs === "number" ? { retryAfterMs } : {}),
  };
}

const fieldRules = z.array(fieldDetail.partial({ code: true, values: true }));

/**
 * The message of a fault that `invalidField` made, with the value that was sent in its first field.
 */
function withGiven({ message }: Fault, first: FieldRule | undefined, givenOf: GivenOf): string {
  if (first === undefined) return message;
  const said = fieldSentence(first.field, first.message);
  if (!message.startsWith(said)) return message;
  return sentenceOf(first, givenOf) + message.slice(said.length);
}

type Validation = { keyword: string; instancePath: string; message?: string; params: object };

function invalidAnswer(validation: Validation[], givenOf: GivenOf): ErrorAnswer {
  const rules = validation.flatMap(rulesOf);
  const [first] = rules;
  const message =
    first === undefined
      ? "The request does not fit its description: see /openapi.json."
      : sentenceOf(first, givenOf);
  return { status: 400, code: "invalid_request", message, details: sentencesOf(rules, givenOf) };
}

/** The details of an answer: for each field, what was expected and what was sent. */
function sentencesOf(rules: readonly FieldRule[], givenOf: GivenOf): FieldRule[] {
  return rules.slice(0, maxDetails).map((rule) => ({
    field: rule.field,
    message: sentenceOf(rule, givenOf),
    code: rule.code ?? problemOfRule(rule.message),
    values: rule.values ?? {},
  }));
}

function sentenceOf({ field, message }: FieldRule, givenOf: GivenOf): string {
  return fieldSentence(field, message, givenOf(field));
}

function rulesOf({ keyword, instancePath, message, params }: Validation): FieldRule[] {
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
  return [{ field, message: message ?? otherRule }];
}

function statusOf(error: unknown): number {
  const isStatus = error instanceof Error && "statusCode" in error;
  return isStatus && typeof error.statusCode === "number" ? error.statusCode : 500;
}
