import type { ApiKey } from "../../domain/business/api-key.ts";
import { requireId } from "../../domain/not-found.ts";
import { defineChange } from "../define-verb.ts";
import { argument } from "../take.ts";
import { presentKey, shownKey } from "./key.ts";

type Ledger = { revokeApiKey: (id: string) => Promise<ApiKey> };

/**
 * Refuses a key for ever; takes effect in every process within 2 seconds. Safe to repeat: the first time counts.
 * @throws Fault `api_key_not_found`
 */
export const keyRevoke = defineChange({
  noun: "key",
  http: {
    method: "DELETE",
    path: "/api-keys/:id",
    summary: "Revoke an API key, for ever, within two seconds everywhere",
    input: ({ params }) => ({ id: params.id }),
  },
  cli: {
    name: "revoke",
    help: "Revoke an API key, by its id: it is refused within two seconds, for ever.",
    examples: ["key revoke 018f…"],
    takes: { id: argument("<id>") },
  },
  check: ({ id }: { id: string }) => requireId(id, "api_key_not_found"),
  call: ({ ledger }: { ledger: Ledger }, id) => ledger.revokeApiKey(id),
  audit: {
    action: "key.revoke",
    describe: ({ id, businessId, prefix }) => ({ subject: id, details: { businessId, prefix } }),
  },
  answer: shownKey,
  present: presentKey,
});
