import type { Sighting, SightingsAsked } from "../../domain/money/sighting.ts";
import { requireId } from "../../domain/not-found.ts";
import type { Page } from "../../domain/page.ts";
import { addressField } from "../../schema/fields.ts";
import {
  listedSighting,
  presentSighting,
  sightingFilterFields,
  sightingFilterOf,
} from "../../schema/sighting.ts";
import { defineList } from "../define-list.ts";
import { type BusinessReader, pageOfBusiness } from "../page-of-business.ts";
import { moment, namedHash, optional, type Reader, required, text } from "../parameter.ts";

type Ledger = BusinessReader & {
  readSightings: (asked: SightingsAsked) => Promise<Page<Sighting>>;
};

type Filter = { business: string } & Parameters<typeof sightingFilterOf>[0];

const contract: Reader<NonNullable<Filter["contract"]>> = {
  expected: "Expected an address: 0x and 40 hexadecimal digits.",
  read: (given) => addressField.safeParse(given).data,
};

/** Lists the transfers of tokens that are not configured to a business's wallets, newest first. */
export const sightingList = defineList({
  noun: "sighting",
  http: {
    path: "/businesses/:id/sightings",
    mayBeStale: true,
    summary: "List the transfers of unlisted tokens to a business's wallets",
    query: sightingFilterFields,
    filter: ({ params, query }) => ({ business: params.id, ...query }),
  },
  cli: {
    name: "list",
    help: "List transfers of unlisted tokens to a business's wallets, newest first.",
    examples: [
      "sighting list --business 018f… --wallet 018f…",
      "sighting list --business 018f… --hash 0x… --json",
    ],
    takes: {
      business: required("--business <id>", text, "to whose wallets"),
      blockchain: optional("--blockchain <name>", text, "on this chain alone"),
      wallet_id: optional("--wallet <id>", text, "to this wallet alone"),
      contract: optional("--contract <0x…>", contract, "of this token alone"),
      tx_hash: optional(
        "--hash <0x…>",
        namedHash,
        "in this transaction of the chain, whole or shortened",
      ),
      from: optional("--from <time>", moment, "in a block of that time or later"),
      to: optional("--to <time>", moment, "in a block before that time"),
    },
    // There may be very many, too many for a screen.
    standardLimit: 100,
  },
  check: ({ business, wallet_id, ...filter }: Filter): Omit<SightingsAsked, "page"> => ({
    businessId: requireId(business, "business_not_found"),
    filter: sightingFilterOf({
      ...filter,
      wallet_id: wallet_id === undefined ? undefined : requireId(wallet_id, "wallet_not_found"),
    }),
  }),
  call: ({ ledger }: { ledger: Ledger }, asked, page) =>
    pageOfBusiness(ledger, asked.businessId, ledger.readSightings({ ...asked, page })),
  row: listedSighting,
  present: presentSighting,
});
