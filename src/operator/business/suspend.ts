import type { Business } from "../../domain/business/business.ts";
import { defineStateChange } from "./state-change.ts";

type Ledger = { suspendBusiness: (id: string) => Promise<Business> };

/** Closes the API to a business's keys; its wallets stay watched. Safe to repeat: the first time counts. @throws Fault `business_not_found` */
export const businessSuspend = defineStateChange({
  name: "suspend",
  summary: "Suspend a business: its keys are refused, its wallets watched",
  help: "Suspend a business: its API keys are refused; its wallets stay watched.",
  call: (ledger: Ledger, id) => ledger.suspendBusiness(id),
});
