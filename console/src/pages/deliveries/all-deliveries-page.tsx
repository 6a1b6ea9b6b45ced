import { useFilters } from "../../route/filters.ts";
import { text } from "../../text/text.ts";
import { ListCard } from "../../ui/data/list-card.tsx";
import { Empty } from "../../ui/frame/empty.tsx";
import { NoMatch } from "../../ui/frame/no-match.tsx";
import { Page } from "../../ui/frame/page.tsx";
import { Split } from "../../ui/frame/split.tsx";
import { SelectionBar } from "../../ui/table/selection-bar.tsx";
import { type Column, Table } from "../../ui/table/table.tsx";
import { selectionKey, useSelection } from "../../ui/table/use-selection.ts";
import { answered, api, type Schema } from "../../wire/api.ts";
import { useAnswer } from "../../wire/use-answer.ts";
import { BusinessLink } from "../parts/business-names.tsx";
import { deliveryColumns } from "../parts/deliveries-table.tsx";
import { BusinessFilter } from "../parts/filters/business-filter.tsx";
import { DeliveryFilters } from "./delivery-filters.tsx";
import { OwnedDeliveryPanel } from "./delivery-panel.tsx";
import { deliveryFilters, queryOf } from "./query.ts";
import { SendAgain } from "./send-again.tsx";
import { atOf, type ToSend } from "./sent.ts";
import { UndeliveredCard } from "./undelivered-card.tsx";
import { OwnedWebhookFilter } from "./webhook-filter.tsx";

type Owned = Schema<"Notification"> & { business_id: string };

const names = ["business_id", ...deliveryFilters] as const;

/** As a business sees them, with the business below its money. */
const columns: readonly Column<Owned>[] = deliveryColumns.map((column) =>
  column.name === "money"
    ? {
        ...column,
        cell: (row) => (
          <>
            {column.cell(row)}
            <BusinessLink id={row.business_id} isSecond={true} />
          </>
        ),
      }
    : column,
);

/** The notifications of all businesses for the operator, and one of them beside the list. */
export function AllDeliveriesPage({ id }: { id: string | null }) {
  const { filters, change, changeAll, search, isFiltered } = useFilters(names);
  const isSortable = filters.business_id !== undefined;
  const query = {
    ...queryOf(filters, isSortable),
    ...(filters.business_id && { business_id: filters.business_id }),
  };
  const { answer, again } = useAnswer(JSON.stringify(query), ["deliveries"], (as) =>
    answered(api.GET("/admin/notifications", { params: { query }, ...as })),
  );
  const of = { filters, change, changeAll };
  // A webhook and a transaction are of one business.
  const chooseBusiness = (_: "business_id", value: string) =>
    changeAll({ business_id: value, webhook_id: "", transaction_id: "" });
  const { webhook_id: webhookId } = filters;
  const at = atOf(webhookId, id, answer.state === "ready" ? answer.value.data : []);
  const selection = useSelection<Owned>(selectionKey(filters));
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
          <SendAgain
            rows={answer.value.data}
            words={words.resendThese}
            send={sendAgain}
            onDone={again}
          />
        ) : undefined
      }
    >
      <Split
        panel={
          id === null ? null : (
            <OwnedDeliveryPanel
              id={id}
              back={`/console/deliveries${search}`}
              at={at}
              send={sendAgain}
            />
          )
        }
      >
        <DeliveryFilters of={of} webhook={<OwnedWebhookFilter of={of} />} isSortable={isSortable}>
          <BusinessFilter of={{ filters, change: chooseBusiness }} />
        </DeliveryFilters>
        {query.status === undefined && (
          <UndeliveredCard
            query={query}
            read={(asked, as) =>
              answered(api.GET("/admin/notifications", { params: { query: asked }, ...as }))
            }
            send={sendAgain}
            onDone={again}
          />
        )}
        <SelectionBar selection={selection}>
          <SendAgain
            rows={[...selection.rows.values()]}
            words={words.resendSelected}
            send={sendAgain}
            onDone={again}
          />
        </SelectionBar>
        <ListCard answer={answer} again={again} empty={none}>
          {(rows) => (
            <Table
              caption={words.title}
              columns={columns}
              rows={rows}
              idOf={(row: Owned) => row.id}
              hrefOf={(row) => `/console/deliveries/${row.id}${search}`}
              chosenId={id}
              selection={selection}
            />
          )}
        </ListCard>
      </Split>
    </Page>
  );
}

async function sendAgain({ id, webhook_id }: ToSend): Promise<void> {
  const asked = { params: { path: { id } }, body: webhook_id === null ? {} : { webhook_id } };
  await answered(api.POST("/admin/notifications/{id}/redeliver", asked));
}
