import type { Business, BusinessFilter } from "../../domain/business/business.ts";
import { isId } from "../../domain/id.ts";
import { requireId } from "../../domain/not-found.ts";
import type { Page, PageRequest } from "../../domain/page.ts";
import { textField, valuesField } from "../../schema/fields.ts";
import { defineList } from "../define-list.ts";
import { optional, text, words } from "../parameter.ts";
import { presentBusiness, shownBusiness } from "./business.ts";

type Ledger = {
  listBusinesses: (page: PageRequest, filter: BusinessFilter) => Promise<Page<Business>>;
};

/** The most ids that a request names. A URL of more is too long for some proxies. */
const mostIds = 100;

const isBusinessId = (text: string): text is string => isId(text);

/** Lists businesses, newest first: all, those with a text in their name, or those of some ids. */
export const businessList = defineList({
  noun: "business",
  http: {
    path: "/businesses",
    summary: "List the businesses",
    query: {
      q: textField.optional().meta({
        description: "Only businesses whose name contains this text, in any case.",
        examples: ["Example"],
      }),
      ids: valuesField(isBusinessId, {
        rule: `expected ids, at most ${mostIds}, with commas between them`,
        most: mostIds,
      })
        .optional()
        .meta({
          type: "string",
          description: `Only businesses with these ids, at most ${mostIds}, with commas between them.`,
          examples: ["01a20098-1f40-7000-8000-3c9e5a7d2b18"],
        }),
    },
    filter: ({ query: { q, ids } }) => ({ named: q, ids }),
  },
  cli: {
    name: "list",
    help: "List the businesses, newest first.",
    examples: ["business list", "business list --named example", "business list --limit 10 --json"],
    takes: {
      named: optional("--named <text>", text, "with this in their name, in any case"),
      ids: optional("--ids <ids>", words, "of these ids, separated by commas"),
    },
  },
  check: ({ named, ids }: Filter): BusinessFilter => ({
    named,
    ids: ids?.map((id) => requireId(id, "business_not_found")),
  }),
  call: ({ ledger }: { ledger: Ledger }, filter, page) => ledger.listBusinesses(page, filter),
  row: shownBusiness,
  present: presentBusiness,
});

type Filter = Required<{ [Name in keyof BusinessFilter]: BusinessFilter[Name] }>;
