import { useFilters } from "../../route/filters.ts";
import { text } from "../../text/text.ts";
import { ListCard } from "../../ui/data/list-card.tsx";
import { Empty } from "../../ui/frame/empty.tsx";
import { NoMatch } from "../../ui/frame/no-match.tsx";
import { Page } from "../../ui/frame/page.tsx";
import { answered, api, type Schema } from "../../wire/api.ts";
import type { paths } from "../../wire/generated/api-paths.ts";
import { type Answer, useAnswer } from "../../wire/use-answer.ts";
import { ChooseBusiness } from "../parts/choose-business.tsx";
import { BusinessFilter, keptOf } from "../parts/filters/business-filter.tsx";
import { inTime } from "../parts/filters/time-filters.tsx";
import { SightingFilters, sightingFilters } from "./sighting-filters.tsx";
import { SightingsTable } from "./sightings-table.tsx";

const owned = ["business_id", ...sightingFilters] as const;

/** The transfers of tokens that are not configured to the business's wallets. */
export function SightingsPage() {
  const { filters, change, changeAll, isFiltered } = useFilters(sightingFilters);
  const query = inTime(filters);
  const asked = useAnswer(JSON.stringify(query), ["sightings"], (as) =>
    answered(api.GET("/sightings", { params: { query }, ...as })),
  );
  return (
    <Page title={text.sightings.title} lead={text.sightings.lead}>
      <SightingFilters of={{ filters, change, changeAll }} />
      <List {...asked} isFiltered={isFiltered} />
    </Page>
  );
}

/** The same of the business that an operator chose. */
export function OwnedSightingsPage() {
  const { filters, change, changeAll } = useFilters(owned);
  const { business_id: businessId, ...own } = filters;
  // A wallet is of one business.
  const chooseBusiness = (_: "business_id", value: string) =>
    changeAll({ business_id: value, wallet_id: "" });
  return (
    <Page title={text.sightings.title} lead={text.sightings.lead}>
      <SightingFilters of={{ filters, change, changeAll }} kept={keptOf(businessId)}>
        <BusinessFilter of={{ filters, change: chooseBusiness }} />
      </SightingFilters>
      {businessId === undefined ? (
        <ChooseBusiness icon="sightings" />
      ) : (
        <OwnedList of={businessId} query={inTime(own)} />
      )}
    </Page>
  );
}

type Query = NonNullable<paths["/sightings"]["get"]["parameters"]["query"]>;

function OwnedList({ of, query }: { of: string; query: Query }) {
  const asked = useAnswer(JSON.stringify([of, query]), ["sightings"], (as) => {
    const params = { path: { id: of }, query };
    return answered(api.GET("/admin/businesses/{id}/sightings", { params, ...as }));
  });
  const isFiltered = Object.keys(query).some((name) => name !== "cursor");
  return <List {...asked} isFiltered={isFiltered} kept={keptOf(of)} />;
}

type Listed = {
  answer: Answer<{ data: Schema<"Sighting">[]; next_cursor: string | null }>;
  again: () => void;
  isFiltered: boolean;
  kept?: Readonly<Record<string, string>>;
};

function List({ answer, again, isFiltered, kept = {} }: Listed) {
  const none = (
    <Empty icon="sightings" title={text.sightings.none}>
      {text.sightings.noneMore}
    </Empty>
  );
  return (
    <ListCard
      answer={answer}
      again={again}
      empty={isFiltered ? <NoMatch path="/sightings" kept={kept} /> : none}
    >
      {(rows) => <SightingsTable rows={rows} />}
    </ListCard>
  );
}
