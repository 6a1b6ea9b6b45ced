/** What a business has added to the requests to its webhook. */
export type Outbound = {
  /** Names in the writing of the business. */
  headers: Readonly<Record<string, string>>;
  /** PEM of the certificate, with its chain, and of its key, shown to a receiver that asks for one; null: none. */
  clientCertificate: string | null;
  /** PEM of the private keys of signatures `v1a`: none, one, or while a rotation overlaps two, the older one first. */
  ed25519Keys: readonly string[];
};

export const nothingAdded: Outbound = { headers: {}, clientCertificate: null, ed25519Keys: [] };

/** The same as it is stored: encrypted for its business. Null: nothing. */
export type SealedOutbound = {
  headersCiphertext: string | null;
  certificateCiphertext: string | null;
  ed25519Ciphertext: string | null;
  /** While a rotation overlaps. */
  nextEd25519Ciphertext: string | null;
};

/** @param decrypt throws Fault `wrong_encryption_key` */
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

/** As they are encrypted: a line each, as HTTP/1.1 writes them. */
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

/** Set by Chainbell or by HTTP itself, or believed by proxies on the way to say where a request comes from. */
const reservedNames = new Set([
  ...[
    "host",
    "connection",
    "keep-alive",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
    "expect",
  ],
  ...["user-agent", "cookie", "date", "via", "forwarded", "x-real-ip", "x-http-method-override"],
  ...["true-client-ip", "cf-connecting-ip", "x-original-url", "x-rewrite-url"],
]);
const reservedPrefixes = [
  ...["content-", "proxy-", "sec-", "accept", "if-", "x-forwarded-"],
  ...["webhook-", "x-webhook-", "svix-", "x-chainbell-"],
];

/** Why a header may not be added; null: it may. Names are tokens, values visible ASCII with spaces between (RFC 9110, 5.5 and 5.6.2). */
export function refusedHeader(name: string, value: string): string | null {
  if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name) || name.length > headerLimits.nameChars)
    return `is not the name of a header of at most ${headerLimits.nameChars} characters`;
  const lower = name.toLowerCase();
  if (reservedNames.has(lower) || reservedPrefixes.some((prefix) => lower.startsWith(prefix)))
    return "is a header that cannot be set";
  if (!/^[!-~]([ -~]*[!-~])?$/.test(value) || value.length > headerLimits.valueChars)
    return `needs a value of 1 to ${headerLimits.valueChars} visible ASCII characters`;
  return null;
}
