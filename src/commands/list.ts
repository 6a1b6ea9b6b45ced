import type { ApiKey } from "../domain/business/api-key.ts";
import type { AuditEntry, AuditFilter } from "../domain/business/audit.ts";
import type { Business } from "../domain/business/business.ts";
import { isId } from "../domain/id.ts";
import { notFound } from "../domain/not-found.ts";
import { type Page, type PageRequest, parsePageRequest } from "../domain/page.ts";
import type { Wallet } from "../domain/watch/wallet.ts";
import {
  type Listed,
  presentApiKey,
  presentAuditEntry,
  presentBusiness,
  presentPage,
  presentWallet,
  type ShownApiKey,
  type ShownAuditEntry,
  type ShownBusiness,
  type ShownWallet,
} from "./present.ts";

type Ledger = {
  listBusinesses: (page: PageRequest) => Promise<Page<Business>>;
  listApiKeys: (businessId: string, page: PageRequest) => Promise<Page<ApiKey>>;
  readWallets: (filter: { businessId?: string }, page: PageRequest) => Promise<Page<Wallet>>;
  listAudit: (filter: AuditFilter, page: PageRequest) => Promise<Page<AuditEntry>>;
};

/** How many, and after which page; both may be left out. */
export type PageInput = { limit?: number; cursor?: string };

/** Newest first. @throws Fault `invalid_request` */
export async function listBusinesses(
  ledger: Ledger,
  input: PageInput,
): Promise<Listed<ShownBusiness>> {
  return presentPage(await ledger.listBusinesses(parsePageRequest(input)), presentBusiness);
}

/** Newest first, revoked ones too. @throws Fault `business_not_found`, `invalid_request` */
export async function listApiKeys(
  ledger: Ledger,
  input: PageInput & { businessId: string },
): Promise<Listed<ShownApiKey>> {
  const page = parsePageRequest(input);
  return presentPage(
    await ledger.listApiKeys(requireBusinessId(input.businessId), page),
    presentApiKey,
  );
}

/** Live wallets, newest first; of every business where none is named. @throws Fault `invalid_request` */
export async function listWallets(
  ledger: Ledger,
  input: PageInput & { businessId?: string },
): Promise<Listed<ShownWallet>> {
  const { businessId } = input;
  const filter = businessId === undefined ? {} : { businessId: requireBusinessId(businessId) };
  return presentPage(await ledger.readWallets(filter, parsePageRequest(input)), presentWallet);
}

/** Who did what, newest first. @throws Fault `invalid_request` */
export async function listAudit(
  ledger: Ledger,
  input: PageInput & AuditFilter,
): Promise<Listed<ShownAuditEntry>> {
  const { limit, cursor, ...filter } = input;
  const page = parsePageRequest({
    ...(limit === undefined ? {} : { limit }),
    ...(cursor === undefined ? {} : { cursor }),
  });
  return presentPage(await ledger.listAudit(filter, page), presentAuditEntry);
}

function requireBusinessId(id: string): string {
  if (!isId(id)) throw notFound("business_not_found");
  return id;
}
