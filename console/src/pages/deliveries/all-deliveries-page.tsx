import { useState } from "preact/hooks";
import { useFilters } from "../../route/filters.ts";
import { fill, fillCount, text } from "../../text/text.ts";
import { Confirm } from "../../ui/act/confirm.tsx";
import { showToast } from "../../ui/act/toasts.tsx";
import { useAction } from "../../ui/act/use-action.ts";
import { ListCard } from "../../ui/data/list-card.tsx";
import { Empty } from "../../ui/frame/empty.tsx";
import { NoMatch } from "../../ui/frame/no-match.tsx";
import { Page } from "../../ui/frame/page.tsx";
import { Split } from "../../ui/frame/split.tsx";
import { type Column, Table } from "../../ui/table/table.tsx";
import { answered, api, type Schema } from "../../wire/api.ts";
import { useAnswer } from "../../wire/use-answer.ts";
import { BusinessLink, useBusinessNames } from "../parts/business-names.tsx";
import { ChangeButton } from "../parts/change-button.tsx";
import { deliveryColumns } from "../parts/deliveries-table.tsx";
import { BusinessFilter } from "../parts/filters/business-filter.tsx";
import { ChosenFilter, FilterBar } from "../parts/filters/filter-bar.tsx";
import { OwnedDeliveryPanel } from "./delivery-panel.tsx";
import { deliveryFilters, queryOf } from "./query.ts";

type Owned = Schema<"Notification"> & { business_id: string };

const names = ["business_id", ...deliveryFilters] as const;

/** The notifications of all businesses for the operator, and one of them beside the list. */
export function AllDeliveriesPage({ id }: { id: string | null }) {
  const { filters, change, changeAll, search, isFiltered } = useFilters(names);
  const query = {
    ...queryOf(filters),
    ...(filters.business_id && { business_id: filters.business_id }),
  };
  const { answer, again } = useAnswer(JSON.stringify(query), ["deliveries"], (as) =>
    answered(api.GET("/admin/notifications", { params: { query }, ...as })),
  );
  const of = { filters, change, changeAll };
  const businesses = useBusinessNames();
  const words = text.deliveries;
  const none = isFiltered ? (
    <NoMatch path="/deliveries" />
  ) : (
    <Empty icon="deliveries" title={words.noneOfAll} command={words.noneCommand} />
  );
  return (
    <Page
      title={words.title}
      actions={
        isFiltered && answer.state === "ready" && answer.value.data.length > 0 ? (
          <ResendAll ids={answer.value.data.map((row) => row.id)} again={again} />
        ) : undefined
      }
    >
      <Split
        panel={
          id === null ? null : <OwnedDeliveryPanel id={id} back={`/console/deliveries${search}`} />
        }
      >
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
              idOf={(row: Owned) => row.id}
              hrefOf={(row) => `/console/deliveries/${row.id}${search}`}
              chosenId={id}
            />
          )}
        </ListCard>
      </Split>
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

/** Sends again what the page lists, once that is confirmed. */
function ResendAll({ ids, again }: { ids: readonly string[]; again: () => void }) {
  const [asked, setAsked] = useState<readonly string[] | null>(null);
  const words = text.deliveries;
  return (
    <>
      <ChangeButton scope="businesses" icon="undo" onClick={() => setAsked(ids)}>
        {words.resendThese}
      </ChangeButton>
      {asked !== null && (
        <Confirm
          title={words.resendThese}
          action={fill(words.resendCount, { count: asked.length })}
          onClose={() => setAsked(null)}
          onConfirm={async () => {
            for (const id of asked) await sendAgain(id);
            showToast("good", fillCount(words.resentCount, asked.length));
            again();
          }}
        >
          <p>{words.resendTheseMore}</p>
        </Confirm>
      )}
    </>
  );
}

async function sendAgain(id: string): Promise<void> {
  await answered(api.POST("/admin/notifications/{id}/redeliver", { params: { path: { id } } }));
}

function Resend({ id, again }: { id: string; again: () => void }) {
  const { isBusy, run } = useAction(async () => {
    await sendAgain(id);
    showToast("good", text.deliveries.resent);
    again();
  });
  return (
    <ChangeButton scope="businesses" isBusy={isBusy} onClick={run}>
      {text.deliveries.resend}
    </ChangeButton>
  );
}
