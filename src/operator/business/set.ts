import { z } from "zod";
import type { Business, BusinessSettings } from "../../domain/business/business.ts";
import { requireId } from "../../domain/not-found.ts";
import { requirePlainText } from "../../domain/text.ts";
import { given } from "../../schema/fields.ts";
import { countOr, requireCountOrNone } from "../count-or-none.ts";
import { defineChange } from "../define-verb.ts";
import { argument, optional, text, toggle } from "../parameter.ts";
import { businessName, presentBusiness, shownBusiness } from "./business.ts";

type Ledger = { setBusiness: (id: string, settings: BusinessSettings) => Promise<Business> };

type Input = {
  id: string;
  name: string | undefined;
  notifyPending: boolean | undefined;
  /** Null: the configured default. */
  inFlight: number | null | undefined;
};

/**
 * Deliveries that one business may have under way at once; the dispatchers' slots are shared by
 * all.
 */
const maxInFlight = 1_000;

/**
 * Changes what is given, and nothing else. Safe to repeat. @throws Fault `business_not_found`,
 * `invalid_request`
 */
export const businessSet = defineChange({
  noun: "business",
  http: {
    method: "PATCH",
    path: "/businesses/:id",
    summary: "Change the settings of a business; what is left out stays",
    body: z.strictObject({
      name: businessName.optional(),
      notify_pending: z
        .boolean("expected true or false")
        .optional()
        .meta({ description: "true: transaction.pending and transaction.dropped notify too." }),
      in_flight: z
        .number("expected a whole number, or null")
        .nullable()
        .optional()
        .meta({ description: "Deliveries under way at once; null: the configured default." }),
    }),
    input: ({ params, body }) => ({
      id: params.id,
      name: body.name,
      notifyPending: body.notify_pending,
      inFlight: body.in_flight,
    }),
  },
  cli: {
    name: "set",
    help: "Change the settings of a business; what is left out stays.",
    examples: ["business set 018f… --notify-pending", "business set 018f… --in-flight default"],
    takes: {
      id: argument("<id>"),
      name: optional("--name <name>", text, "what it is called"),
      notifyPending: toggle("notify-pending", {
        on: "notify transaction.pending and transaction.dropped too",
        off: "no longer notify them",
      }),
      inFlight: optional(
        "--in-flight <k>",
        countOr("default"),
        "deliveries under way at once, or `default`",
      ),
    },
  },
  check: ({ id, name, notifyPending, inFlight }: Input) => ({
    settings: given({
      name: name === undefined ? undefined : requirePlainText(name, "name"),
      notifyPending,
      inFlight: requireCountOrNone(inFlight, { field: "in_flight", most: maxInFlight }),
    }),
    id: requireId(id, "business_not_found"),
  }),
  call: (ledger: Ledger, { id, settings }) => ledger.setBusiness(id, settings),
  audit: {
    action: "business.set",
    describe: ({ id }, { settings }) => ({ subject: id, details: settings }),
  },
  answer: shownBusiness,
  present: presentBusiness,
});
