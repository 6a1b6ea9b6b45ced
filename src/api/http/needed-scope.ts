import type { KeyScope } from "../../domain/business/api-key.ts";

/** `unlimited`: scopes do not help, the key must have no limits at all. */
export type NeededScope = KeyScope | "unlimited";

declare module "fastify" {
  interface FastifySchema {
    /** The scope that an API key with scopes must have. Only routes of businesses have this. */
    keyScope?: NeededScope;
  }
}

/**
 * The scope that a route of a business needs. Null: none. A route that makes keys needs a key
 * without limits. Otherwise a limited key could make one that may do more.
 */
export function neededScope(route: { method: string; url: string }): NeededScope | null {
  const { method, url } = route;
  if (url.startsWith("/auth/token")) return null;
  if (method === "GET" || method === "HEAD") return "read";
  if (url.startsWith("/api-keys")) return "unlimited";
  if (url.startsWith("/reconciliations")) return "credits";
  if (url.startsWith("/wallets")) return "wallets:write";
  return url.startsWith("/notifications") ? "notifications" : "webhooks";
}
