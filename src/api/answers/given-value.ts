import type { FastifyRequest } from "fastify";
import { isSecretName } from "../../runtime/redaction.ts";
import { shownText } from "../../runtime/shown-text.ts";
import { bodyAsSent } from "../http/large-json.ts";

/** The most characters of a value that an answer repeats. */
const mostCharacters = 60;

/** Words in names of fields that may hold a secret although their names do not say so. */
const privateNames = /url|header|cert|pem|csv|file/i;

/**
 * The value of a field as the caller sent it, for use in a sentence. It is shortened, in one line,
 * or "missing". Null for values that no answer may repeat: lists, objects, URLs, headers, and
 * fields that may hold a secret.
 */
export function givenValue(request: FastifyRequest, field: string): string | null {
  const { query, params, headers } = request;
  const parts = field.split(/[.[\]]+/).filter((part) => part !== "");
  if (parts.length === 0 || Object.hasOwn(headers, field)) return null;
  if (parts.some((part) => isSecretName(part) || privateNames.test(part))) return null;
  const found = [query, bodyAsSent(request), params]
    .map((root) => parts.reduce(memberOf, root))
    .find((value) => value !== undefined);
  return shownValue(found);
}

function memberOf(value: unknown, name: string): unknown {
  if (typeof value !== "object" || value === null) return undefined;
  return Object.getOwnPropertyDescriptor(value, name)?.value;
}

function shownValue(value: unknown): string | null {
  if (value === undefined) return "missing";
  if (value === null || typeof value === "number" || typeof value === "boolean") return `${value}`;
  if (typeof value !== "string" || /:\/\/|-----BEGIN/.test(value)) return null;
  const characters = [...value.slice(0, 2 * mostCharacters)];
  const kept = characters.slice(0, mostCharacters).join("");
  return `'${shownText(kept)}${kept.length < value.length ? "…" : ""}'`;
}
