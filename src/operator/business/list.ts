import type { Business } from "../../domain/business/business.ts";
import type { Page, PageRequest } from "../../domain/page.ts";
import { defineFullList } from "../define-list.ts";
import { presentBusiness, shownBusiness } from "./business.ts";

type Ledger = { listBusinesses: (page: PageRequest) => Promise<Page<Business>> };

/** Every business, newest first. */
export const businessList = defineFullList({
  noun: "business",
  path: "/businesses",
  what: "List the businesses",
  examples: ["business list", "business list --limit 10 --json"],
  call: (ledger: Ledger, page) => ledger.listBusinesses(page),
  row: shownBusiness,
  present: presentBusiness,
});
