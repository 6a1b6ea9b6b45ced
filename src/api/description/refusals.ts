import { STATUS_CODES } from "node:http";
import { isFaultCode } from "../../domain/fault.ts";
import { chainNotFound, isNotFoundCode, notFound } from "../../domain/not-found.ts";
import { errorAnswer } from "../answers/answers.ts";
import { internal } from "../answers/error-answer.ts";
import { docUrlOf, errorCodes, refusalMessages } from "../answers/error-codes.ts";
import {
  type Components,
  type Document,
  type Operation,
  type Response,
  reference,
} from "./document.ts";

/** A request with an access token may also be refused for all faults of its key. */
const ofBusiness = [
  "key_revoked",
  "key_expired",
  "network_refused",
  "scope_missing",
  "business_unverified",
  "business_suspended",
  "rate_limited",
] as const;

/** The codes with which any route may refuse these credentials. */
const byCredential: Readonly<Record<string, readonly string[]>> = {
  apiKey: ["missing_credentials", "invalid_api_key", ...ofBusiness],
  accessToken: [
    "missing_credentials",
    "invalid_access_token",
    "access_token_expired",
    ...ofBusiness,
  ],
  adminToken: ["missing_credentials", "invalid_admin_token", "scope_missing", "rate_limited"],
};

const ofBodies = ["request_timeout", "payload_too_large", "unsupported_media_type"];

/** Adds one response to an operation for each status with which it may be refused. */
export function addRefusals(
  document: Document,
  route: { method: string; path: string; operation: Operation; refuses: readonly string[] },
): void {
  const { operation } = route;
  const { components } = document;
  for (const [status, codes] of byStatus(codesOf(route))) {
    // The route describes its answer with that status itself.
    if (operation.responses[status] !== undefined) continue;
    operation.responses[status] = { $ref: sharedResponse(components, status, codes) };
  }
}

function codesOf(route: Parameters<typeof addRefusals>[1]): string[] {
  const { method, path, operation, refuses } = route;
  const schemes = (operation.security ?? []).flatMap((one) => Object.keys(one));
  const isAdminChange = path.startsWith("/admin/") && method !== "get";
  const subject = /\/([a-z-]+)\/\{\w+\}/.exec(path)?.[1];
  return [
    "invalid_request",
    ...schemes.flatMap((scheme) => byCredential[scheme] ?? []),
    ...(isAdminChange ? ["role_missing"] : []),
    ...(subject === undefined ? [] : [notFoundCode(subject)]),
    ...(method === "get" ? [] : ofBodies),
    ...refuses,
    "internal_error",
    ...(schemes.length === 0 ? [] : ["database_unavailable", "unavailable"]),
  ];
}

/**
 * The code if a path's parameter names nothing: for `api-keys`, `api_key_not_found`.
 * @throws Error if there is no such code
 */
function notFoundCode(collection: string): string {
  const code = `${collection.replace(/(?<=s)es$|s$/, "").replace("-", "_")}_not_found`;
  if (isFaultCode(code)) return code;
  throw new Error(`There is no fault for what is not found under /${collection}.`);
}

function byStatus(codes: readonly string[]): [string, string[]][] {
  const found = new Map<string, Set<string>>();
  for (const code of codes) {
    const status = String(errorCodes.get(code));
    found.set(status, (found.get(status) ?? new Set()).add(code));
  }
  return [...found].sort().map(([status, set]) => [status, [...set].sort()]);
}

/** A reference to the response with these codes, which all operations share. */
function sharedResponse(components: Components, status: string, codes: string[]): string {
  components.responses ??= {};
  const { responses } = components;
  const said = codes.map((code) => `\`${code}\``).join(", ");
  const description = `${STATUS_CODES[status]}: ${said}.`;
  const known = Object.entries(responses).find(
    ([, one]) => "description" in one && one.description === description,
  );
  const name = known?.[0] ?? freeName(responses, status, codes);
  responses[name] ??= errorResponse(status, description, codes);
  return `#/components/responses/${name}`;
}

/** A short name if no other response has it, else a name made of all the codes. */
function freeName(responses: object, status: string, codes: string[]): string {
  const name = responseName(status, codes);
  return name in responses ? codes.map(pascal).join("Or") : name;
}

/** The most codes that one name lists. */
const maxNamedCodes = 3;

function responseName(status: string, codes: string[]): string {
  if (codes.length <= maxNamedCodes) return codes.map(pascal).join("Or");
  const wrong = codes.filter((code) => code.startsWith("invalid_"));
  if (wrong.length > 0) return wrong.map(pascal).join("Or");
  return (STATUS_CODES[status] ?? "").replace(/\W/g, "");
}

function errorResponse(status: string, description: string, codes: string[]): Response {
  const code = Object.keys(messages).find((one) => codes.includes(one)) ?? codes[0] ?? "";
  const message = messages[code] ?? notFoundMessage(code);
  return {
    description,
    ...(status === "429" ? { headers: { "retry-after": reference("headers", "RetryAfter") } } : {}),
    content: {
      "application/json": {
        schema: reference("schemas", errorAnswer.meta()?.id ?? "Error"),
        example: {
          success: false,
          error: { code, message, doc_url: docUrlOf(code) },
          request_id: exampleRequestId,
        },
      },
    },
  };
}

const exampleRequestId = "8109552d-768d-416c-b820-4b386319cdf9";

/** The message of each code in the examples. */
const messages: Readonly<Record<string, string>> = {
  target_refused: "The URL is refused: it leads to an address that is not public.",
  invalid_request: "limit must be a whole number from 1 to 500; it is 'abc'.",
  missing_credentials: "Send the API key in the header x-api-key.",
  business_suspended: "The business is suspended: ask the operator.",
  scope_missing: "The admin token lacks the scope 'wallets': use a token that has it.",
  chain_not_found: chainNotFound("ethereum").message,
  role_missing: "A viewer may not change anything: use a token without @viewer.",
  wallet_exists: "The wallet is watched already on that blockchain; nothing was added.",
  address_refused:
    "0x9965507D1a55bcC2695C58ba16FB37d819B0A4dc on ethereum: this installation does not take it from a business. Ask the operator.",
  idempotency_key_reused: "This Idempotency-Key belongs to another request: use a new key.",
  idempotency_key_in_use:
    "The first request with this Idempotency-Key has no answer yet: send it again in a moment.",
  cursor_unknown:
    "The database does not know this cursor. Go on from the cursor in the header chainbell-cursor. Skip the ids that you have.",
  cursor_expired:
    "Notifications after this cursor were removed. Go on from the cursor in the header chainbell-cursor.",
  delivery_in_flight: "The notification is being delivered: wait for the outcome.",
  reconciliation_running: "Credits of the business are being compared: wait for that answer.",
  limit_reached: "The business has as many of these as it may have: remove one first.",
  webhook_inactive: "The webhook is inactive: activate it first.",
  rate_limited: "Too many requests: wait and send it again.",
  database_unavailable: "The service cannot answer in time: send the request again.",
  ...Object.fromEntries([...refusalMessages, [internal.code, internal.message]]),
};

/** @throws Error if `messages` lacks the code */
function notFoundMessage(code: string): string {
  if (isNotFoundCode(code)) return notFound(code).message;
  throw new Error(`No message of ${code} is an example.`);
}

function pascal(code: string): string {
  return code.replace(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase());
}
