import { z } from "zod";
import type { AuditEntry } from "../../../domain/business/audit.ts";
import type { BusinessLedger } from "../../../domain/business/business-ledger.ts";
import { idText, listAnswer, listBody, timeText } from "../../../schema/answers.ts";
import { auditedFields } from "../../../schema/audit.ts";
import { pageFields, pageOf } from "../../../schema/fields.ts";
import { businessOf } from "../../auth/authenticate.ts";
import type { Web } from "../../http/web.ts";

export type AuditDeps = Pick<BusinessLedger, "readAudit">;

const shown = z
  .object({
    id: idText,
    at: timeText,
    actor: z.enum(["key", "console", "operator"]),
    key_id: idText.nullable().meta({
      description:
        "The id of the API key that was used, or of the access token's key. Null: no key was used.",
    }),
    session_id: idText
      .nullable()
      .meta({ description: "The id of the console's session that was used. Null: none was." }),
    address: z
      .string()
      .nullable()
      .meta({ description: "The address of the client that used the key or the console." }),
    ...auditedFields,
  })
  .meta({ id: "OwnAuditEntry" });

/**
 * Adds the audit trail of a business: actions with its keys, in the console, and of operators.
 * Names and addresses of operators are not shown.
 */
export function auditRoutes(web: Web, deps: AuditDeps): void {
  const schema = {
    tags: ["Audit"],
    summary: "Who changed what of the business, and when",
    querystring: z.strictObject(pageFields),
    response: { 200: listAnswer(shown) },
  };
  web.get("/audit", { schema }, async (request) => {
    const page = await deps.readAudit(businessOf(request), pageOf(request.query));
    return listBody(page, present);
  });
}

const actors = { api: "key", console: "console" } as const;

function present({ id, at, actor, action, subject, details }: AuditEntry): z.output<typeof shown> {
  const { via, name, address } = actor;
  const isOwn = via === "api" || via === "console";
  return {
    id,
    at: at.toISOString(),
    actor: isOwn ? actors[via] : "operator",
    key_id: via === "api" ? name : null,
    session_id: via === "console" ? name : null,
    address: isOwn ? address : null,
    action,
    subject,
    details: ownDetails(details),
  };
}

/**
 * The details that a business sees, whoever acted. All others are hidden. For example `madeBy`
 * names the operator who made the link that a session began with.
 */
const shownDetails: ReadonlySet<string> = new Set([
  // Of the business itself.
  ...["businessId", "name", "isVerified", "legalName", "address", "notifyPending", "inFlight"],
  // Of keys.
  ...["label", "prefix", "scopes", "networks", "expiresAt", "maxWallets", "replacedBy"],
  // Of webhooks. For headers only their names, and for a certificate its fingerprint.
  ...[
    "url",
    "description",
    "outcome",
    "additional",
    "isActive",
    "rate",
    "filter",
    "isOrdered",
    "holdsExhausted",
  ],
  ...["headers", "clientCertificate", "ed25519", "overlapHours", "cancelled"],
  ...["deliveryId", "event"],
  // Of recoveries.
  ...["since", "until", "include", "recoveryId"],
  // Of wallets.
  ...["count", "wallets", "thresholds", "fromBlock", "status"],
  // Of statements and credits.
  ...["digest", "from", "to", "credits"],
  // Of the console.
  ...["role", "way", "keyId"],
]);

function ownDetails(details: AuditEntry["details"]): AuditEntry["details"] {
  return Object.fromEntries(Object.entries(details).filter(([name]) => shownDetails.has(name)));
}
