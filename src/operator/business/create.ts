import { z } from "zod";
import type { Business } from "../../domain/business/business.ts";
import { requireNameText } from "../../domain/text.ts";
import { defineChange } from "../define-verb.ts";
import { flag, required, text } from "../parameter.ts";
import { businessName, presentBusiness, shownBusiness } from "./business.ts";

type Ledger = {
  createBusiness: (business: { name: string; isVerified: boolean }) => Promise<Business>;
};

/** Adds a business. Its API keys work only once it is verified. @throws Fault `invalid_request` */
export const businessCreate = defineChange({
  noun: "business",
  http: {
    method: "POST",
    path: "/businesses",
    summary: "Create a business",
    body: z.strictObject({
      name: businessName,
      verified: z.boolean("expected true or false").optional(),
    }),
    status: 201,
    input: ({ body }) => ({ name: body.name, isVerified: body.verified ?? false }),
  },
  cli: {
    name: "create",
    help: "Create a business. Its API keys open nothing until it is verified.",
    examples: ['business create --name "Example Ltd" --verified'],
    takes: {
      name: required("--name <name>", text, "its name"),
      isVerified: flag("--verified", "verify it at once"),
    },
  },
  check: ({ name, isVerified }: { name: string; isVerified: boolean }) => ({
    name: requireNameText(name, "name"),
    isVerified,
  }),
  call: (ledger: Ledger, business) => ledger.createBusiness(business),
  audit: {
    action: "business.create",
    describe: ({ id }, { name, isVerified }) => ({ subject: id, details: { name, isVerified } }),
  },
  answer: shownBusiness,
  present: presentBusiness,
});
