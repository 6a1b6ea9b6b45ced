import type { ApiKey } from "../domain/business/api-key.ts";
import { isId } from "../domain/id.ts";
import { notFound } from "../domain/not-found.ts";
import { presentApiKey, type ShownApiKey } from "./present.ts";

type Ledger = { revokeApiKey: (id: string) => Promise<ApiKey> };

/** Refused everywhere within 2 seconds, for ever; safe to repeat. @throws Fault `api_key_not_found` */
export async function revokeKey(ledger: Ledger, id: string): Promise<ShownApiKey> {
  if (!isId(id)) throw notFound("api_key_not_found");
  return presentApiKey(await ledger.revokeApiKey(id));
}
