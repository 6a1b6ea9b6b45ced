import type { Business } from "../../domain/business/business.ts";
import { defineStateChange } from "./state-change.ts";

type Ledger = { resumeBusiness: (id: string) => Promise<Business> };

/** Ends a suspension. Safe to repeat. @throws Fault `business_not_found` */
export const businessResume = defineStateChange({
  name: "resume",
  summary: "End a business's suspension",
  help: "End the suspension of a business.",
  call: (ledger: Ledger, id) => ledger.resumeBusiness(id),
});
