import { z } from "zod";
import { newApiKey, recordOfApiKey } from "../../../domain/business/api-key.ts";
import type { AuditedFor } from "../../../domain/business/audit.ts";
import type { BusinessChanges, BusinessLedger } from "../../../domain/business/business-ledger.ts";
import { requireId } from "../../../domain/not-found.ts";
import { requireNameText } from "../../../domain/text.ts";
import { dataBody, listAnswer, listBody } from "../../../schema/answers.ts";
import {
  createdKeyAnswer,
  createdKeyBody,
  presentCreatedKey,
  presentKey,
  shownKey,
} from "../../../schema/api-key.ts";
import { noQuery, pageFields, pageOf } from "../../../schema/fields.ts";
import { checkLimits, newKeyBody, presentLimits } from "../../../schema/key-limits.ts";
import { answersWithData } from "../../answers/answers.ts";
import { actorOf, businessOf } from "../../auth/authenticate.ts";
import type { Web } from "../../http/web.ts";

export type ApiKeysDeps = Pick<BusinessLedger, "listApiKeys"> & {
  audited: AuditedFor<Pick<BusinessChanges, "createApiKey" | "revokeOwnApiKey">>;
  clock: { now: () => number };
};

const tags = ["API keys"];

/**
 * Adds the routes for a business's own keys. Only a key without limits may make or revoke one: see
 * key-limits.ts.
 */
export function apiKeysRoutes(web: Web, deps: ApiKeysDeps): void {
  const list = {
    tags,
    summary: "List the API keys, revoked ones too",
    querystring: z.strictObject(pageFields),
    response: { 200: listAnswer(shownKey) },
  };
  web.get("/api-keys", { schema: list }, async (request) =>
    listBody(await deps.listApiKeys(businessOf(request), pageOf(request.query)), presentKey),
  );

  const create = {
    tags,
    summary: "Create an API key",
    description: "With a key that has no limits of its own. The key is shown now and never again.",
    querystring: noQuery,
    body: newKeyBody,
    refuses: ["limit_reached"] as const,
    response: { 201: createdKeyAnswer },
  };
  web.post("/api-keys", { schema: create }, async (request, reply) => {
    const { expires_at: expiresAt, scopes, networks, ...named } = request.body ?? {};
    const label = named.label === undefined ? null : requireNameText(named.label, "label");
    const asked = { scopes, networks, expiresAt, maxWallets: undefined };
    const limits = checkLimits(asked, deps.clock.now());
    const key = newApiKey();
    const businessId = businessOf(request);
    const created = await deps.audited(actorOf(request))("key.create", async (ledger) => {
      const record = recordOfApiKey(key);
      const output = await ledger.createApiKey({ businessId, label, record, limits });
      const details = { businessId, label, prefix: output.prefix, ...presentLimits(limits) };
      return { output, entry: { subject: output.id, details } };
    });
    return reply.code(201).send(createdKeyBody(presentCreatedKey(created, key)));
  });

  const revoke = {
    tags,
    operationId: "revokeApiKey",
    summary: "Revoke an API key, for ever, within two seconds everywhere",
    description: "With a key that has no limits of its own. A key may revoke itself.",
    params: z.strictObject({ id: z.string() }),
    ...answersWithData(shownKey),
  };
  web.delete("/api-keys/:id", { schema: revoke }, async (request) => {
    const asked = {
      businessId: businessOf(request),
      id: requireId(request.params.id, "api_key_not_found"),
    };
    const revoked = await deps.audited(actorOf(request))("key.revoke", async (ledger) => {
      const output = await ledger.revokeOwnApiKey(asked);
      const { id: subject, businessId, prefix } = output;
      return { output, entry: { subject, details: { businessId, prefix } } };
    });
    return dataBody(presentKey(revoked));
  });
}
