import { z } from "zod";
import type { NewLink } from "../../domain/console/console-ledger.ts";
import { type BusinessRole, businessRoles, newLink } from "../../domain/console/session.ts";
import { keysOf, meaningsIn } from "../../domain/keys-of.ts";
import { requireId } from "../../domain/not-found.ts";
import { invalidField } from "../../domain/text.ts";
import { idText, timeText } from "../../schema/answers.ts";
import { defineChange } from "../define-verb.ts";
import { argument, optionOr, text } from "../parameter.ts";

type Ledger = { createLink: (link: NewLink) => Promise<void> };

type Input = { id: string; role: string };

const roles = keysOf(businessRoles);
const roleText = z.enum(roles, `expected one of ${roles.join(", ")}`).meta({
  description: meaningsIn(businessRoles),
});

const createdLink = z
  .object({
    business_id: idText,
    role: roleText,
    link: z.string().meta({
      description:
        "The secret of the link, which is shown here and never again. It lets in everybody who has it.",
      examples: ["cbl_3vJ0C1T9d2m8Qw5Xr7YbZkLhNfPgSaUeViWoRtEyU4I"],
    }),
    path: z.string().meta({
      description: "The path to open in a browser, below the address of the console.",
      examples: ["/console/enter#cbl_3vJ0C1T9d2m8Qw5Xr7YbZkLhNfPgSaUeViWoRtEyU4I"],
    }),
    expires_at: timeText,
  })
  .meta({ id: "ConsoleLink" });

/**
 * Makes a link that opens a business's console once, within ten minutes. Each call makes another
 * one.
 * @throws Fault `business_not_found`, `invalid_request`
 */
export const businessConsoleLink = defineChange({
  noun: "business",
  http: {
    method: "POST",
    path: "/businesses/:id/console-link",
    summary: "Make a link into the console of a business, good for ten minutes and once",
    body: z.strictObject({ role: roleText.optional() }).nullish(),
    status: 201,
    input: ({ params, body }) => ({ id: params.id, role: body?.role ?? "viewer" }),
  },
  cli: {
    name: "console-link",
    help: "Make a link into the console of a business, good for ten minutes and once.",
    examples: ["business console-link 018f…", "business console-link 018f… --role developer"],
    takes: {
      id: argument("<id>", "the id of the business"),
      role: optionOr("--role <role>", text, { help: "viewer or developer", standard: "viewer" }),
    },
  },
  check: ({ id, role }: Input, { clock }: { clock: { now: () => number } }) => ({
    businessId: requireId(id, "business_not_found"),
    role: requireRole(role),
    ...newLink(clock.now()),
  }),
  call: (ledger: Ledger, command, { by }: { by: { name: string } }) => {
    const { businessId, role, digest, expiresAt } = command;
    const subject = { kind: "business", businessId, role } as const;
    return ledger.createLink({ digest, subject, madeBy: by.name, keyId: null, expiresAt });
  },
  audit: {
    action: "business.console-link",
    describe: (_, { businessId, role, expiresAt }) => ({
      subject: businessId,
      details: { role, expiresAt },
    }),
  },
  answer: createdLink,
  present: (_, { businessId, role, link, path, expiresAt }) => ({
    business_id: businessId,
    role,
    link,
    path,
    expires_at: expiresAt.toISOString(),
  }),
});

function requireRole(role: string): BusinessRole {
  const known = roles.find((word) => word === role);
  if (known === undefined) throw invalidField("role", `expected one of ${roles.join(", ")}`);
  return known;
}
