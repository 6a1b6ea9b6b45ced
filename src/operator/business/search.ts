import type { Found, Search } from "../../domain/business/search.ts";
import { presentFound, searchField, shownFound } from "../../schema/search.ts";
import { defineList } from "../define-list.ts";
import { required, text } from "../parameter.ts";

type Ledger = { search: (asked: Search) => Promise<Found[]> };

/**
 * Finds what an identifier or a part of a text names, in all businesses. Returns at most ten of
 * each kind.
 */
export const businessSearch = defineList({
  noun: "business",
  http: {
    path: "/search",
    summary: "What a hash, an address, an id or a part of a text names",
    query: { q: searchField },
    filter: ({ query }) => ({ q: query.q }),
  },
  cli: {
    name: "search",
    help: "Find what a hash, an address, an id or a part of a text names.",
    examples: ["business search --for order-17", "business search --for 0x…"],
    takes: {
      q: required(
        "--for <text>",
        text,
        "a hash, an address, an id, an amount with its asset, a notification's number, or a part of a name",
      ),
    },
  },
  check: ({ q }: { q: string }) => q,
  call: async ({ ledger }: { ledger: Ledger }, q) => ({
    rows: await ledger.search({ businessId: null, text: q }),
    nextCursor: null,
  }),
  row: shownFound,
  present: presentFound,
});
