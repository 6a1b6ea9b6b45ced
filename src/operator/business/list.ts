import type { Business } from "../../domain/business/business.ts";
import type { Page, PageRequest } from "../../domain/page.ts";
import { defineList } from "../define-list.ts";
import { presentBusiness, shownBusiness } from "./business.ts";

type Ledger = { listBusinesses: (page: PageRequest) => Promise<Page<Business>> };

/** Every business, newest first. */
export const businessList = defineList({
  noun: "business",
  http: {
    path: "/businesses",
    summary: "List the businesses",
    filter: () => ({}),
  },
  cli: {
    name: "list",
    help: "List the businesses, newest first.",
    examples: ["business list", "business list --limit 10 --json"],
    takes: {},
  },
  check: (filter: object) => filter,
  call: ({ ledger }: { ledger: Ledger }, _, page) => ledger.listBusinesses(page),
  row: shownBusiness,
  present: presentBusiness,
});
