import { isIP } from "node:net";
import { z } from "zod";
import { parseAddress } from "../../domain/chain/address.ts";
import type { Hash } from "../../domain/chain/block.ts";
import { plainDecimal } from "../../domain/exact.ts";
import type { ConfigFaultCode, ConfigFaultValues } from "../../domain/setup/config-fault-codes.ts";
import { decoded } from "../../domain/setup/server-url.ts";

// A configuration value is read as the text in the file, or as the text that replaced `${ENV}`. So
// a number keeps every digit. The JSON Schema describes values as a person writes them: numbers as
// numbers.

/** The value of a text, or the fault of the text. `code` left out: `invalid`. */
export type Reading<T> =
  | { value: T }
  | { fault: string; code?: ConfigFaultCode; values?: ConfigFaultValues };

/**
 * A field made of one text.
 * @param json its JSON Schema
 * @param read returns the value, or what is wrong with the text
 */
export function field<T>(json: Record<string, unknown>, read: (text: string) => Reading<T>) {
  return z
    .unknown()
    .transform((input, context): T => {
      const reading = readText(input, read);
      if ("value" in reading) return reading.value;
      const { fault: message, code, values } = reading;
      context.issues.push({ code: "custom", message, input, params: { code, values } });
      return z.NEVER;
    })
    .meta(json);
}

function readText<T>(input: unknown, read: (text: string) => Reading<T>): Reading<T> {
  if (input === undefined) return { fault: "is required" };
  if (typeof input !== "string")
    return { fault: "expected one value, not a list or a map", code: "one_value" };
  return read(input);
}

/**
 * A placeholder for the environment. The schema allows it in the place of a number or a boolean.
 */
const placeholder = "\\$\\{.+\\}";

export function integer(range: { min: number; max: number; description: string }) {
  const { min, max, description } = range;
  const json = { type: ["integer", "string"], minimum: min, maximum: max, pattern: placeholder };
  return field({ ...json, description }, (text) => {
    const value = /^-?\d{1,17}$/.test(text) ? Number(text) : Number.NaN;
    if (value >= min && value <= max) return { value };
    const fault = `expected a whole number from ${min} to ${max}`;
    return { fault, code: "whole_number", values: { min: String(min), max: String(max) } };
  });
}

export function truth(description: string) {
  const json = { type: ["boolean", "string"], pattern: placeholder, description };
  return field(json, (text) =>
    text === "true" || text === "false"
      ? { value: text === "true" }
      : { fault: "expected true or false", code: "true_or_false" },
  );
}

export function oneOf<const T extends string>(words: readonly T[], description: string) {
  return field({ type: "string", enum: words, description }, (text) => {
    const value = words.find((word) => word === text);
    if (value !== undefined) return { value };
    const choices = words.join(", ");
    return { fault: `expected one of: ${choices}`, code: "choice", values: { choices } };
  });
}

export function matching(pattern: RegExp, expected: string, description: string) {
  const json = { type: "string", pattern: pattern.source, description };
  return field(json, (text) =>
    pattern.test(text) ? { value: text } : { fault: `expected ${expected}` },
  );
}

export function usdPrice(description: string) {
  const json = { type: ["number", "string"], minimum: 0, description };
  return field(json, (text) =>
    plainDecimal.test(text)
      ? { value: text }
      : {
          fault: "expected a plain decimal such as 2500.12, without sign or exponent",
          code: "decimal",
        },
  );
}

export function address(description: string) {
  return field({ type: "string", pattern: "^0x[0-9a-fA-F]{40}$", description }, (text) => {
    try {
      return { value: parseAddress(text) };
    } catch {
      const fault = "expected 0x and 40 hexadecimal digits, in one case or with a right checksum";
      return { fault, code: "address" };
    }
  });
}

export function hash(description: string) {
  return field({ type: "string", pattern: "^0x[0-9a-fA-F]{64}$", description }, (text) =>
    /^0x[0-9a-f]{64}$/i.test(text)
      ? { value: `0x${text.slice(2).toLowerCase()}` satisfies Hash }
      : { fault: "expected 0x and 64 hexadecimal digits", code: "hash" },
  );
}

/** A URL with one of the schemes. The fault never repeats it, because RPC URLs contain keys. */
export function url(schemes: readonly string[], description: string) {
  const begins = schemes.map((scheme) => `${scheme}//`);
  const fault = `expected a URL that begins with ${begins.join(" or ")}`;
  const values = { schemes: begins.join(", ") };
  return field({ type: "string", description }, (text) => {
    if (!isUrlOf(text, schemes)) return { fault, code: "url", values };
    const { username, password } = new URL(text);
    // A URL may hold a % that begins no escape. Its user is then no text.
    const isLogin = [username, password].every((part) => decoded(part) !== undefined);
    return isLogin
      ? { value: text }
      : { fault: "expected %25 in place of % in its user and password" };
  });
}

function isUrlOf(text: string, schemes: readonly string[]): boolean {
  return (
    URL.canParse(text) && schemes.includes(new URL(text).protocol) && new URL(text).host !== ""
  );
}

const unitMs = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/**
 * The length of time of a text such as `500ms` or `2h`, in ms. A number without a unit is seconds.
 * Null: the text is no length of time.
 */
export function lengthMs(text: string): number | null {
  const parts = /^(\d{1,9})(ms|s|m|h|d)?$/.exec(text);
  if (parts === null) return null;
  return Number(parts[1]) * unitMs[(parts[2] ?? "s") as keyof typeof unitMs];
}

/**
 * A length of time, in ms: `500ms`, `5s`, `5m`, `2h`, `1d`. A number without a unit is seconds.
 * @param leastMs a pause of nothing would be none
 */
export function durationMs(maxMs: number, description: string, leastMs = 0) {
  const json = { type: ["integer", "string"], minimum: Math.ceil(leastMs / unitMs.s), description };
  return field(json, (text) => {
    const value = lengthMs(text);
    if (value === null) {
      const fault = "expected a length of time such as 500ms, 5s, 5m, 2h or 1d";
      return { fault, code: "duration" };
    }
    if (value < leastMs) {
      const least = writtenMs(leastMs);
      return { fault: `expected at least ${least}`, code: "too_short", values: { least } };
    }
    if (value <= maxMs) return { value };
    const most = maxMs / unitMs.s;
    return {
      fault: `expected at most ${most} seconds`,
      code: "too_long",
      values: { most: String(most) },
    };
  });
}

/** A length of time as it is written in the file, in the largest unit without a fraction. */
function writtenMs(ms: number): string {
  const unit = (["d", "h", "m", "s"] as const).find((one) => ms % unitMs[one] === 0) ?? "ms";
  return `${ms / unitMs[unit]}${unit}`;
}

/** An address range such as 10.0.0.0/8 or fd00::/8; a single address is its own range. */
export function cidr(description: string) {
  return field({ type: "string", description }, (text) => {
    const [base = "", bits, ...rest] = text.split("/");
    const family = isIP(base);
    const longest = family === 6 ? 128 : 32;
    const isRange = bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= longest);
    return family === 0 || !isRange || rest.length > 0
      ? { fault: "expected an address range such as 10.0.0.0/8", code: "address_range" }
      : { value: bits === undefined ? `${base}/${longest}` : text };
  });
}

/** Names are used in URLs, in notifications and in commands. */
export const chainName = matching(
  /^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/,
  "1 to 63 letters, digits, dots, dashes or underscores",
  "The chain's name: the value of `blockchain` in the API, in notifications and in commands.",
);
