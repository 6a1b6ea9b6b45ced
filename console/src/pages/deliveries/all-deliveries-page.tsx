import { useFilters } from "../../route/filters.ts";
import { text } from "../../text/text.ts";
import { showToast } from "../../ui/act/toasts.tsx";
import { useAction } from "../../ui/act/use-action.ts";
import { ListCard } from "../../ui/data/list-card.tsx";
import { Empty } from "../../ui/frame/empty.tsx";
import { NoMatch } from "../../ui/frame/no-match.tsx";
import { Page } from "../../ui/frame/page.tsx";
import { type Column, Table } from "../../ui/table/table.tsx";
import { answered, api, type Schema } from "../../wire/api.ts";
import { useAnswer } from "../../wire/use-answer.ts";
import { BusinessLink, useBusinessNames } from "../parts/business-names.tsx";
import { ChangeButton } from "../parts/change-button.tsx";
import { deliveryColumns } from "../parts/deliveries-table.tsx";
import { BusinessFilter } from "../parts/filters/business-filter.tsx";
import { ChosenFilter, FilterBar } from "../parts/filters/filter-bar.tsx";
import { deliveryFilters, queryOf } from "./query.ts";

type Owned = Schema<"Notification"> & { business_id: string };

const names = ["business_id", ...deliveryFilters] as const;

/** The notifications of all businesses, for the operator. */
export function AllDeliveriesPage() {
  const { filters, change, isFiltered } = useFilters(names);
  const query = {
    ...queryOf(filters),
    ...(filters.business_id && { business_id: filters.business_id }),
  };
  const { answer, again } = useAnswer(JSON.stringify(query), ["deliveries"], (as) =>
    answered(api.GET("/admin/notifications", { params: { query }, ...as })),
  );
  const of = { filters, change };
  const businesses = useBusinessNames();
  const words = text.deliveries;
  const none = isFiltered ? (
    <NoMatch path="/deliveries" />
  ) : (
    <Empty icon="deliveries" title={words.noneOfAll} command={words.noneCommand} />
  );
  return (
    <Page title={words.title}>
      <FilterBar of={of} path="/deliveries">
        <BusinessFilter of={of} />
        <ChosenFilter of={of} name="event" label={words.event} options={text.event} />
        <ChosenFilter of={of} name="status" label={words.status} options={text.deliveryStatus} />
      </FilterBar>
      <ListCard answer={answer} again={again} empty={none}>
        {(rows) => (
          <Table
            caption={words.title}
            columns={columnsOf(again, businesses)}
            rows={rows}
            idOf={({ id }: Owned) => id}
          />
        )}
      </ListCard>
    </Page>
  );
}

function columnsOf(
  again: () => void,
  businesses: ReadonlyMap<string, string>,
): readonly Column<Owned>[] {
  return [
    ...deliveryColumns,
    {
      name: "business",
      head: text.businesses.one,
      from: "middle",
      cell: ({ business_id: id }) => <BusinessLink id={id} names={businesses} />,
    },
    {
      name: "resend",
      head: text.common.actions,
      isHeadHidden: true,
      isEnd: true,
      from: "middle",
      cell: ({ id }) => <Resend id={id} again={again} />,
    },
  ];
}

function Resend({ id, again }: { id: string; again: () => void }) {
  const { isBusy, run } = useAction(async () => {
    const params = { path: { id } };
    await answered(api.POST("/admin/notifications/{id}/redeliver", { params }));
    showToast("good", text.deliveries.resent);
    again();
  });
  return (
    <ChangeButton scope="businesses" isBusy={isBusy} onClick={run}>
      {text.deliveries.resend}
    </ChangeButton>
  );
}
