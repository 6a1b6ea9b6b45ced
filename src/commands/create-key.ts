import {
  type ApiKey,
  type ApiKeyRecord,
  newApiKey,
  recordOfApiKey,
} from "../domain/business/api-key.ts";
import { isId } from "../domain/id.ts";
import { notFound } from "../domain/not-found.ts";
import { requirePlainText } from "../domain/text.ts";
import { presentApiKey, type ShownApiKey } from "./present.ts";

type NewKey = { businessId: string; label: string | null; record: ApiKeyRecord };
type Ledger = { createApiKey: (key: NewKey) => Promise<ApiKey> };

/** A new key, shown here and never again. @throws Fault `business_not_found`, `invalid_request` */
export async function createKey(
  ledger: Ledger,
  input: { businessId: string; label?: string },
): Promise<{ id: string; key: string } & ShownApiKey> {
  const { businessId } = input;
  const label = input.label === undefined ? null : requirePlainText(input.label, "label");
  if (!isId(businessId)) throw notFound("business_not_found");
  const key = newApiKey();
  const record = recordOfApiKey(key);
  const { id, ...shown } = presentApiKey(await ledger.createApiKey({ businessId, label, record }));
  return { id, key, ...shown };
}
