import { z } from "zod";
import type { Business, BusinessSettings } from "../../domain/business/business.ts";
import { requireId } from "../../domain/not-found.ts";
import { requireNameLines, requireNameText } from "../../domain/text.ts";
import { given } from "../../schema/fields.ts";
import { countOr, requireCountOrNone } from "../count-or-none.ts";
import { defineChange } from "../define-verb.ts";
import { argument, optional, text, toggle } from "../parameter.ts";
import {
  businessName,
  legalName,
  postalAddress,
  presentBusiness,
  shownBusiness,
} from "./business.ts";

type Ledger = { setBusiness: (id: string, settings: BusinessSettings) => Promise<Business> };

type Input = {
  id: string;
  name: string | undefined;
  /** Null, or an empty text: removes it. Undefined: unchanged. */
  legalName: string | null | undefined;
  address: string | null | undefined;
  notifyPending: boolean | undefined;
  /** Null: back to the configured default. */
  inFlight: number | null | undefined;
  /** Null: no limit. */
  rate: number | null | undefined;
};

/**
 * The most deliveries of one business that are under way at once. All businesses share the
 * dispatchers' slots.
 */
const maxInFlight = 1_000;

/** Attempts per second for one business. One database cannot store more. */
const maxRate = 10_000;

/**
 * Changes only the settings that are given. Safe to repeat.
 * @throws Fault `business_not_found`, `invalid_request`
 */
export const businessSet = defineChange({
  noun: "business",
  http: {
    method: "PATCH",
    path: "/businesses/:id",
    summary: "Change the settings of a business; omitted ones stay",
    body: z.strictObject({
      name: businessName.optional(),
      legal_name: legalName.optional(),
      address: postalAddress.optional(),
      notify_pending: z.boolean("expected true or false").optional().meta({
        description: "True: `transaction.pending` and `transaction.dropped` are notified too.",
      }),
      in_flight: z.number("expected a whole number, or null").nullable().optional().meta({
        description:
          "The most deliveries of the business that are under way at once. Null: the configured default.",
      }),
      rate: z.number("expected a whole number, or null").nullable().optional().meta({
        description:
          "The most attempts a second, at all webhooks of the business together. Null: not limited.",
      }),
    }),
    input: ({ params, body }) => ({
      id: params.id,
      name: body.name,
      legalName: body.legal_name,
      address: body.address,
      notifyPending: body.notify_pending,
      inFlight: body.in_flight,
      rate: body.rate,
    }),
  },
  cli: {
    name: "set",
    help: "Change the settings of a business. Omitted settings stay.",
    examples: [
      "business set 018f… --notify-pending",
      "business set 018f… --in-flight default",
      "business set 018f… --rate 50",
      'business set 018f… --legal-name "Example Trading Limited" --address "1 Example Street, London"',
    ],
    takes: {
      id: argument("<id>", "the id of the business"),
      name: optional("--name <name>", text, "its name"),
      legalName: optional("--legal-name <name>", text, "in the head of its statements"),
      address: optional("--address <address>", text, "its postal address, in the same head"),
      notifyPending: toggle("notify-pending", {
        on: "notify transaction.pending and transaction.dropped too",
        off: "no longer notify them",
      }),
      inFlight: optional(
        "--in-flight <k>",
        countOr("default"),
        "deliveries under way at once, or `default`",
      ),
      rate: optional(
        "--rate <n>",
        countOr("none"),
        "attempts a second at most, at all of its webhooks, or `none`",
      ),
    },
  },
  check: ({ id, name, legalName: legal, address, notifyPending, inFlight, rate }: Input) => ({
    settings: given({
      name: name === undefined ? undefined : requireNameText(name, "name"),
      legalName: orNone(legal, (given) => requireNameText(given, "legal_name")),
      address: orNone(address, (given) => requireNameLines(given, "address")),
      notifyPending,
      inFlight: requireCountOrNone(inFlight, { field: "in_flight", most: maxInFlight }),
      rate: requireCountOrNone(rate, { field: "rate", most: maxRate }),
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

/** An empty text removes the setting. Undefined leaves it unchanged. */
function orNone(
  asked: string | null | undefined,
  require: (asked: string) => string,
): string | null | undefined {
  if (asked === undefined || asked === null) return asked;
  return asked === "" ? null : require(asked);
}
