import type { Business } from "../../domain/business/business.ts";
import { requireId } from "../../domain/not-found.ts";
import { defineChangeOfOne } from "../define-change-of-one.ts";
import { presentBusiness, shownBusiness } from "./business.ts";

type Change<Method extends string> = Record<Method, (id: string) => Promise<Business>>;

/**
 * Lets the keys of a business use the API. Safe to repeat: the first time is recorded.
 * @throws Fault `business_not_found`
 */
export const businessVerify = stateVerb("verify", {
  summary: "Verify a business: its keys open the API from now on",
  help: "Verify a business: from now on its API keys open the API.",
  call: (ledger: Change<"verifyBusiness">, id) => ledger.verifyBusiness(id),
});

/**
 * Refuses the keys of a business; its wallets are still watched. Safe to repeat: the first time is
 * recorded.
 * @throws Fault `business_not_found`
 */
export const businessSuspend = stateVerb("suspend", {
  summary: "Suspend a business: its keys are refused, its wallets watched",
  help: "Suspend a business: its API keys are refused; its wallets stay watched.",
  call: (ledger: Change<"suspendBusiness">, id) => ledger.suspendBusiness(id),
});

/** Ends a suspension. Safe to repeat. @throws Fault `business_not_found` */
export const businessResume = stateVerb("resume", {
  summary: "End a business's suspension",
  help: "End the suspension of a business.",
  call: (ledger: Change<"resumeBusiness">, id) => ledger.resumeBusiness(id),
});

/** A verb that changes the state of a business, and returns the business as it is then. */
function stateVerb<Ledger>(
  name: "verify" | "suspend" | "resume",
  spec: {
    summary: string;
    help: string;
    call: (ledger: Ledger, id: string) => Promise<Business>;
  },
) {
  const path = `/businesses/:id/${name}` as const;
  return defineChangeOfOne({
    noun: "business",
    name,
    param: "id",
    http: { method: "POST", path, summary: spec.summary, refusesBody: true },
    help: spec.help,
    check: (id) => requireId(id, "business_not_found"),
    call: spec.call,
    describe: ({ id }) => ({ subject: id, details: {} }),
    answer: shownBusiness,
    present: presentBusiness,
  });
}
