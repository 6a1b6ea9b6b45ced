import { useState } from "preact/hooks";
import { useFilters } from "../../route/filters.ts";
import { addressOf } from "../../route/place.ts";
import { text } from "../../text/text.ts";
import { ListCard } from "../../ui/data/list-card.tsx";
import { Empty } from "../../ui/frame/empty.tsx";
import { NoMatch } from "../../ui/frame/no-match.tsx";
import { Page } from "../../ui/frame/page.tsx";
import { Split } from "../../ui/frame/split.tsx";
import { SelectionBar } from "../../ui/table/selection-bar.tsx";
import { selectionKey, useSelection } from "../../ui/table/use-selection.ts";
import { answered, api, type Schema } from "../../wire/api.ts";
import { useAnswer } from "../../wire/use-answer.ts";
import { ChangeButton } from "../parts/change-button.tsx";
import { DeliveriesTable } from "../parts/deliveries-table.tsx";
import { DeliveryFilters } from "./delivery-filters.tsx";
import { DeliveryPanel } from "./delivery-panel.tsx";
import { deliveryFilters, queryOf } from "./query.ts";
import { RecoverDialog } from "./recover-dialog.tsx";
import { SendAgain } from "./send-again.tsx";
import { atOf, type ToSend } from "./sent.ts";
import { UndeliveredCard } from "./undelivered-card.tsx";
import { WebhookFilter } from "./webhook-filter.tsx";

/** The customer has a label too. The body has the reference alone. */
const include = "label";

/** The notifications of a business, and one of them beside the list. */
export function DeliveriesPage({ id }: { id: string | null }) {
  const [isRecovering, setRecovering] = useState(false);
  const { filters, change, changeAll, search, isFiltered } = useFilters(deliveryFilters);
  const of = { filters, change, changeAll };
  const query = queryOf(filters);
  const { webhook_id: webhookId } = filters;
  const { answer, again } = useAnswer(JSON.stringify(query), ["deliveries"], (as) =>
    answered(api.GET("/notifications", { params: { query: { ...query, include } }, ...as })),
  );
  const at = atOf(webhookId, id, answer.state === "ready" ? answer.value.data : []);
  const selection = useSelection<Schema<"Notification">>(selectionKey(filters));
  const none = isFiltered ? (
    <NoMatch path="/deliveries" />
  ) : (
    <Empty icon="deliveries" title={text.deliveries.none} command={text.deliveries.noneCommand}>
      {text.deliveries.noneMore} <a href={addressOf("/webhooks")}>{text.deliveries.toWebhook}</a>
    </Empty>
  );
  return (
    <Page
      title={text.deliveries.title}
      actions={
        <ChangeButton
          needs={{ business: "webhooks" }}
          icon="undo"
          onClick={() => setRecovering(true)}
        >
          {text.recover.open}
        </ChangeButton>
      }
    >
      <Split
        panel={
          id === null ? null : (
            <DeliveryPanel id={id} back={`/console/deliveries${search}`} at={at} send={sendAgain} />
          )
        }
      >
        <DeliveryFilters of={of} webhook={<WebhookFilter of={of} />} />
        {query.status === undefined && (
          <UndeliveredCard
            query={query}
            read={(asked, as) =>
              answered(api.GET("/notifications", { params: { query: asked }, ...as }))
            }
            send={sendAgain}
            onDone={again}
          />
        )}
        <SelectionBar selection={selection}>
          <SendAgain
            rows={[...selection.rows.values()]}
            words={text.deliveries.resendSelected}
            send={sendAgain}
            onDone={again}
          />
        </SelectionBar>
        <ListCard answer={answer} again={again} empty={none}>
          {(rows) => (
            <DeliveriesTable
              rows={rows}
              hrefOf={(row) => `/console/deliveries/${row.id}${search}`}
              chosenId={id}
              selection={selection}
            />
          )}
        </ListCard>
      </Split>
      {isRecovering && <RecoverDialog webhookId={webhookId} onClose={() => setRecovering(false)} />}
    </Page>
  );
}

async function sendAgain({ id, webhook_id }: ToSend): Promise<void> {
  const params = { path: { id }, query: webhook_id === null ? {} : { webhook_id } };
  await answered(api.POST("/notifications/{id}/redeliver", { params }));
}
