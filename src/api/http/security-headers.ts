/**
 * The headers of every answer. An answer is data, not a page. A browser that opens it runs nothing,
 * frames nothing, guesses no type, and stores nothing. A page of another origin can read it only if
 * the operator has named that origin (see allow-origins.ts).
 */
export const securityHeaders = {
  "cache-control": "no-store",
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
  "cross-origin-resource-policy": "same-origin",
  "referrer-policy": "no-referrer",
  "strict-transport-security": "max-age=31536000; includeSubDomains",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
} as const;
