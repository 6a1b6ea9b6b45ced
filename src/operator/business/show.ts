import type { Business } from "../../domain/business/business.ts";
import { requireId } from "../../domain/not-found.ts";
import { defineReading } from "../define-verb.ts";
import { argument } from "../parameter.ts";
import { presentBusiness, shownBusiness } from "./business.ts";

type Ports = { ledger: { readBusiness: (id: string) => Promise<Business> } };

/** One business. @throws Fault `business_not_found` */
export const businessShow = defineReading({
  noun: "business",
  http: {
    method: "GET",
    path: "/businesses/:id",
    summary: "One business",
    input: ({ params: { id } }) => ({ id }),
  },
  cli: {
    name: "show",
    help: "Show one business.",
    examples: ["business show 018f…"],
    takes: { id: argument("<id>", "the id of the business") },
  },
  check: ({ id }: { id: string }) => requireId(id, "business_not_found"),
  call: ({ ledger }: Ports, id) => ledger.readBusiness(id),
  answer: shownBusiness,
  present: presentBusiness,
});
