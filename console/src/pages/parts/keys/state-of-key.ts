import type { components } from "../../../wire/generated/api-paths.ts";

type Key = Pick<components["schemas"]["ApiKey"], "revoked_at" | "expires_at">;

/** Says whether a key works now, and else why not. */
export function stateOfKey({ revoked_at: revoked, expires_at: expires }: Key) {
  if (revoked !== null) return "revoked";
  return expires !== null && Date.parse(expires) < Date.now() ? "expired" : "active";
}
