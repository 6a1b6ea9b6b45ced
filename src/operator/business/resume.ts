import type { Business } from "../../domain/business/business.ts";
import { requireId } from "../../domain/not-found.ts";
import { noBody } from "../../schema/fields.ts";
import { defineChange } from "../define-verb.ts";
import { argument } from "../take.ts";
import { presentBusiness, shownBusiness } from "./business.ts";

type Ledger = { resumeBusiness: (id: string) => Promise<Business> };

/** Ends a suspension. Safe to repeat. @throws Fault `business_not_found` */
export const businessResume = defineChange({
  noun: "business",
  http: {
    method: "POST",
    path: "/businesses/:id/resume",
    summary: "End a business's suspension",
    body: noBody,
    input: ({ params }) => ({ id: params.id }),
  },
  cli: {
    name: "resume",
    help: "End the suspension of a business.",
    examples: ["business resume 018f…"],
    takes: { id: argument("<id>") },
  },
  check: ({ id }: { id: string }) => requireId(id, "business_not_found"),
  call: ({ ledger }: { ledger: Ledger }, id) => ledger.resumeBusiness(id),
  audit: { action: "business.resume", describe: ({ id }) => ({ subject: id, details: {} }) },
  answer: shownBusiness,
  present: presentBusiness,
});
