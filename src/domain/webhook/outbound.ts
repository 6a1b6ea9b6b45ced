import type { FieldProblem } from "../field-problem.ts";
import type { FieldRule } from "../text.ts";

/** The parts that a business adds to the requests to its webhook. */
export type Outbound = {
  /** The headers, with their names as the business wrote them. */
  headers: Readonly<Record<string, string>>;
  /**
   * PEM of the certificate with its chain, and of its key. It is presented to a receiver that asks
   * for one. Null: there is none.
   */
  clientCertificate: string | null;
  /**
   * PEM of the private keys for `v1a` signatures: none, one, or two while a rotation overlaps, the
   * older first.
   */
  ed25519Keys: readonly string[];
};

export const nothingAdded: Outbound = { headers: {}, clientCertificate: null, ed25519Keys: [] };

/** The stored form, encrypted for its business. Null: nothing is added. */
export type SealedOutbound = {
  headersCiphertext: string | null;
  certificateCiphertext: string | null;
  ed25519Ciphertext: string | null;
  /** The key that also signs while a rotation overlaps. */
  nextEd25519Ciphertext: string | null;
};

/**
 * Decrypts the additions.
 * @param decrypt throws Fault `wrong_encryption_key`
 */
export function openOutbound(
  sealed: SealedOutbound,
  decrypt: (ciphertext: string) => string,
): Outbound {
  const opened = (ciphertext: string | null) => (ciphertext === null ? null : decrypt(ciphertext));
  const headers = opened(sealed.headersCiphertext);
  const { ed25519Ciphertext, nextEd25519Ciphertext } = sealed;
  return {
    headers: headers === null ? {} : linesToHeaders(headers),
    clientCertificate: opened(sealed.certificateCiphertext),
    ed25519Keys: [ed25519Ciphertext, nextEd25519Ciphertext].flatMap((one) =>
      one === null ? [] : [decrypt(one)],
    ),
  };
}

/** The headers as text for encryption: one line each, as in HTTP/1.1. */
export function headersToLines(headers: Readonly<Record<string, string>>): string {
  return Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}`)
    .join("\n");
}

function linesToHeaders(lines: string): Record<string, string> {
  const parts = lines.split("\n").map((line) => {
    const end = line.indexOf(": ");
    return [line.slice(0, end), line.slice(end + 2)] as const;
  });
  return Object.fromEntries(parts);
}

export const headerLimits = { count: 10, nameChars: 64, valueChars: 1_024 } as const;

/**
 * Names of headers that a business may not add. Chainbell or HTTP sets them, or proxies trust them
 * to name the source of a request.
 */
const reservedNames = new Set([
  // Headers of the connection and of the request itself.
  "host",
  "connection",
  "keep-alive",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
  "http2-settings",
  "expect",
  "max-forwards",
  "user-agent",
  "cookie",
  "date",
  // Headers that name the sender of a request, or the proxies on its way.
  "via",
  "cdn-loop",
  "forwarded",
  "client-ip",
  "x-client-ip",
  "x-real-ip",
  "x-cluster-client-ip",
  "true-client-ip",
  "cf-connecting-ip",
  "cf-connecting-ipv6",
  "fastly-client-ip",
  "wl-proxy-client-ip",
  "forwarded-for",
  "x-forwarded",
  "x-original-forwarded-for",
  "x-originating-ip",
  "x-remote-addr",
  "x-remote-ip",
  "x-envoy-external-address",
  "client-cert",
  "client-cert-chain",
  // Headers that override the request line.
  "x-host",
  "x-original-host",
  "x-original-method",
  "x-http-method",
  "x-http-method-override",
  "x-method-override",
  "x-original-url",
  "x-rewrite-url",
]);
const reservedPrefixes = [
  ...["content-", "proxy-", "sec-", "accept", "if-", "x-forwarded-"],
  ...["webhook-", "x-webhook-", "svix-", "x-chainbell-"],
];

/**
 * The rule of `field` that a header breaks; null: it may be added. Names are tokens. Values are
 * visible ASCII with spaces between (RFC 9110, 5.5 and 5.6.2).
 */
export function refusedHeader(field: string, name: string, value: string): FieldRule | null {
  const shown = name.slice(0, headerLimits.nameChars);
  const refused = (code: FieldProblem, reason: string, most?: number): FieldRule => ({
    field,
    message: `'${shown}' ${reason}`,
    code,
    values: { name: shown, ...(most === undefined ? {} : { most }) },
  });
  const { nameChars, valueChars } = headerLimits;
  if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name) || name.length > nameChars) {
    const reason = `is not the name of a header of at most ${nameChars} characters`;
    return refused("header_name", reason, nameChars);
  }
  // CGI and its like know no difference between these signs: X_Real_IP would be X-Real-IP.
  const known = name.toLowerCase().replaceAll(/[^0-9a-z]/g, "-");
  if (reservedNames.has(known) || reservedPrefixes.some((prefix) => known.startsWith(prefix)))
    return refused("header_reserved", "is a header that cannot be set");
  if (!/^[!-~]([ -~]*[!-~])?$/.test(value) || value.length > valueChars) {
    const reason = `needs a value of 1 to ${valueChars} visible ASCII characters`;
    return refused("header_value", reason, valueChars);
  }
  return null;
}
