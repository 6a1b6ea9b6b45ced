import type { Business } from "../../domain/business/business.ts";
import { requireId } from "../../domain/not-found.ts";
import { noBody } from "../../schema/fields.ts";
import { defineChange } from "../define-verb.ts";
import { argument } from "../take.ts";
import { presentBusiness, shownBusiness } from "./business.ts";

/**
 * A verb that brings one business into another state and answers how it is then.
 * @param spec.call safe to repeat: the first time counts
 */
export function defineStateChange<Ledger>(spec: {
  name: "verify" | "suspend" | "resume";
  summary: string;
  help: string;
  call: (ledger: Ledger, id: string) => Promise<Business>;
}) {
  const { name, summary, help, call } = spec;
  return defineChange({
    noun: "business",
    http: {
      method: "POST",
      path: `/businesses/:id/${name}`,
      summary,
      body: noBody,
      input: ({ params }) => ({ id: params.id }),
    },
    cli: { name, help, examples: [`business ${name} 018f…`], takes: { id: argument("<id>") } },
    check: ({ id }: { id: string }) => requireId(id, "business_not_found"),
    call: ({ ledger }: { ledger: Ledger }, id) => call(ledger, id),
    audit: { action: `business.${name}`, describe: ({ id }) => ({ subject: id, details: {} }) },
    answer: shownBusiness,
    present: presentBusiness,
  });
}
