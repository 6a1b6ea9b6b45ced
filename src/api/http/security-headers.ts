/**
 * The headers of every answer. An answer is data and no page. A browser that is led to it runs
 * nothing, frames nothing, guesses no type and keeps nothing. A page of another origin reads it
 * only if the operator has named that origin (see allow-origins.ts).
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
