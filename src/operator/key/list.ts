import type { ApiKey } from "../../domain/business/api-key.ts";
import { requireId } from "../../domain/not-found.ts";
import type { Page, PageRequest } from "../../domain/page.ts";
import { presentKey, shownKey } from "../../schema/api-key.ts";
import { defineList } from "../define-list.ts";
import { required, text } from "../parameter.ts";

type Ledger = {
  listApiKeys: (businessId: string, page: PageRequest) => Promise<Page<ApiKey>>;
};

/**
 * Lists a business's keys, newest first, including revoked ones.
 * @throws Fault `business_not_found`
 */
export const keyList = defineList({
  noun: "key",
  http: {
    path: "/businesses/:id/api-keys",
    summary: "List a business's API keys, revoked ones too",
    filter: ({ params }) => ({ businessId: params.id }),
  },
  cli: {
    name: "list",
    help: "List the API keys of a business, newest first, revoked ones too.",
    examples: ["key list --business 018f…"],
    takes: { businessId: required("--business <id>", text, "whose keys") },
  },
  check: ({ businessId }: { businessId: string }) => requireId(businessId, "business_not_found"),
  call: ({ ledger }: { ledger: Ledger }, businessId, page) => ledger.listApiKeys(businessId, page),
  row: shownKey,
  present: presentKey,
});
