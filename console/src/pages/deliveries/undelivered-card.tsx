import { useState } from "preact/hooks";
import { fill, text } from "../../text/text.ts";
import { Foreign } from "../../ui/show/foreign.tsx";
import { When } from "../../ui/show/when.tsx";
import type { Column } from "../../ui/table/table.tsx";
import { TableCard } from "../../ui/table/table-card.tsx";
import type { Schema } from "../../wire/api.ts";
import { type Asking, useAnswer } from "../../wire/use-answer.ts";
import { AttemptBadge } from "../parts/attempt-badge.tsx";
import { ChangeButton } from "../parts/change-button.tsx";
import { type Cause, causesIn } from "./causes.ts";
import { SendDialog } from "./send-again.tsx";
import { anyWebhook, type ToSend } from "./sent.ts";

type Row = Schema<"Notification">;
type Page = { data: Row[]; next_cursor: string | null };

/** The most rows of a status that are looked at: the newest. */
const mostLooked = 100;

/** The statuses of failed notifications. */
const statuses = ["waiting", "exhausted"] as const;

type Looked = { webhook_id: string; status: (typeof statuses)[number]; limit: number };

type Shown<Query> = {
  /** The filters of the list. Its page and its order do not matter. */
  query: Query;
  read: (
    query: Omit<Query, "cursor" | "sort" | "webhook_id"> & Looked,
    as: Asking,
  ) => Promise<Page>;
  send: (one: ToSend) => Promise<unknown>;
  onDone: () => void;
};

/**
 * Shows failed notifications by cause, and sends them again. Where the list names no webhook, each
 * is shown as it failed at any. Shows nothing if there are none.
 */
export function UndeliveredCard<
  Query extends { cursor?: string; sort?: string; webhook_id?: string },
>({ query, read, send, onDone }: Shown<Query>) {
  // Kept here: a cause goes from the list while its notifications are sent again.
  const [sent, setSent] = useState<readonly Row[] | null>(null);
  const { cursor: _, sort: __, webhook_id = anyWebhook, ...others } = query;
  const asked = statuses.map((status) => ({ ...others, webhook_id, status, limit: mostLooked }));
  const { answer, again } = useAnswer(JSON.stringify(asked), ["deliveries"], async (as) => {
    const pages = await Promise.all(asked.map((one) => read(one, as)));
    return {
      causes: causesIn(pages.flatMap(({ data }) => data)),
      isWhole: pages.every(({ next_cursor: next }) => next === null),
    };
  });
  const { causes, isWhole } =
    answer.state === "ready" ? answer.value : { causes: [], isWhole: true };
  const title = text.undelivered.title;
  const columns = columnsOf(isWhole, setSent);
  return (
    <>
      {causes.length > 0 && (
        <TableCard {...{ title, columns }} rows={causes} idOf={({ id }) => id} />
      )}
      {sent !== null && (
        <SendDialog
          rows={sent}
          title={text.deliveries.resendThese}
          send={send}
          onDone={() => {
            again();
            onDone();
          }}
          onClose={() => setSent(null)}
        />
      )}
    </>
  );
}

function columnsOf(
  isWhole: boolean,
  ask: (rows: readonly Row[]) => void,
): readonly Column<Cause<Row>>[] {
  const words = text.undelivered;
  return [
    { name: "cause", head: text.outbox.cause, cell: ({ last }) => <AttemptBadge of={last} /> },
    {
      name: "count",
      head: words.notifications,
      isEnd: true,
      cell: ({ rows: { length: count } }) => (isWhole ? count : fill(words.atLeast, { count })),
    },
    {
      name: "answer",
      head: text.outbox.lastAnswer,
      from: "middle",
      cell: ({ last }) => <Foreign text={last.response ?? "–"} />,
    },
    { name: "since", head: text.outbox.oldest, cell: ({ since }) => <When at={since} /> },
    {
      name: "send",
      head: text.common.actions,
      isHeadHidden: true,
      isEnd: true,
      cell: ({ rows }) => (
        <ChangeButton
          needs={{ business: "notifications", operator: "businesses" }}
          icon="undo"
          onClick={() => ask(rows)}
        >
          {text.deliveries.resendThese}
        </ChangeButton>
      ),
    },
  ];
}
