import type { Business } from "../../domain/business/business.ts";
import { requireId } from "../../domain/not-found.ts";
import { noBody } from "../../schema/fields.ts";
import { defineChange } from "../define-verb.ts";
import { argument } from "../take.ts";
import { presentBusiness, shownBusiness } from "./business.ts";

type Ledger = { verifyBusiness: (id: string) => Promise<Business> };

/** Opens the API to a business's keys. Safe to repeat: the first time counts. @throws Fault `business_not_found` */
export const businessVerify = defineChange({
  noun: "business",
  http: {
    method: "POST",
    path: "/businesses/:id/verify",
    summary: "Verify a business: its keys open the API from now on",
    body: noBody,
    input: ({ params }) => ({ id: params.id }),
  },
  cli: {
    name: "verify",
    help: "Verify a business: from now on its API keys open the API.",
    examples: ["business verify 018f…"],
    takes: { id: argument("<id>") },
  },
  check: ({ id }: { id: string }) => requireId(id, "business_not_found"),
  call: ({ ledger }: { ledger: Ledger }, id) => ledger.verifyBusiness(id),
  audit: { action: "business.verify", describe: ({ id }) => ({ subject: id, details: {} }) },
  answer: shownBusiness,
  present: presentBusiness,
});
