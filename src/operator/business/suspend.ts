import type { Business } from "../../domain/business/business.ts";
import { requireId } from "../../domain/not-found.ts";
import { noBody } from "../../schema/fields.ts";
import { defineChange } from "../define-verb.ts";
import { argument } from "../take.ts";
import { presentBusiness, shownBusiness } from "./business.ts";

type Ledger = { suspendBusiness: (id: string) => Promise<Business> };

/** Closes the API to a business's keys; its wallets stay watched. Safe to repeat: the first time counts. @throws Fault `business_not_found` */
export const businessSuspend = defineChange({
  noun: "business",
  http: {
    method: "POST",
    path: "/businesses/:id/suspend",
    summary: "Suspend a business: its keys are refused, its wallets watched",
    body: noBody,
    input: ({ params }) => ({ id: params.id }),
  },
  cli: {
    name: "suspend",
    help: "Suspend a business: its API keys are refused; its wallets stay watched.",
    examples: ["business suspend 018f…"],
    takes: { id: argument("<id>") },
  },
  check: ({ id }: { id: string }) => requireId(id, "business_not_found"),
  call: ({ ledger }: { ledger: Ledger }, id) => ledger.suspendBusiness(id),
  audit: { action: "business.suspend", describe: ({ id }) => ({ subject: id, details: {} }) },
  answer: shownBusiness,
  present: presentBusiness,
});
