import type { Business } from "../../domain/business/business.ts";
import { defineStateChange } from "./state-change.ts";

type Ledger = { verifyBusiness: (id: string) => Promise<Business> };

/** Opens the API to a business's keys. Safe to repeat: the first time counts. @throws Fault `business_not_found` */
export const businessVerify = defineStateChange({
  name: "verify",
  summary: "Verify a business: its keys open the API from now on",
  help: "Verify a business: from now on its API keys open the API.",
  call: (ledger: Ledger, id) => ledger.verifyBusiness(id),
});
