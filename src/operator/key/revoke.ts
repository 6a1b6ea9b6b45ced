import type { ApiKey } from "../../domain/business/api-key.ts";
import { requireId } from "../../domain/not-found.ts";
import { presentKey, shownKey } from "../../schema/api-key.ts";
import { defineChangeOfOne } from "../define-change-of-one.ts";

type Ledger = { revokeApiKey: (id: string) => Promise<ApiKey> };

/**
 * Revokes a key permanently. Every process refuses it within 2 s. Safe to repeat: the first time is
 * recorded.
 * @throws Fault `api_key_not_found`
 */
export const keyRevoke = defineChangeOfOne({
  noun: "key",
  name: "revoke",
  param: "id",
  http: {
    method: "DELETE",
    path: "/api-keys/:id",
    summary: "Revoke an API key, for ever, within two seconds everywhere",
  },
  help: "Revoke an API key, by its id: it is refused within two seconds, for ever.",
  check: (id) => requireId(id, "api_key_not_found"),
  call: (ledger: Ledger, id) => ledger.revokeApiKey(id),
  describe: ({ id, businessId, prefix }) => ({ subject: id, details: { businessId, prefix } }),
  answer: shownKey,
  present: presentKey,
});
