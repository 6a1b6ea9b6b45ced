import { shortId } from "../../format/short.ts";
import { fill, fillCount, text } from "../../text/text.ts";
import type { Step } from "../../ui/data/timeline.tsx";
import type { Schema } from "../../wire/api.ts";

type Detail = Schema<"TransactionDetail">;
type Sent = Detail["notifications"][number];

/**
 * The course of a transaction: seen, confirmed, completed, notified and heard. A reversal or a drop
 * comes last. Each webhook that wanted a notification hears of it by itself.
 */
export function stepsOf(transaction: Detail): Step[] {
  const confirmed = transaction.notifications.filter(({ event }) => !isOfUndoing(event));
  const undone = transaction.notifications.filter(({ event }) => isOfUndoing(event));
  return [
    {
      name: text.course.seen,
      state: "done",
      at: transaction.seen_at,
      more: fill(text.course.inBlock, { number: transaction.block_number }),
    },
    ...confirmationSteps(transaction),
    ...confirmed.flatMap(notificationSteps),
    ...expectedSteps(transaction),
    ...undoneSteps(transaction),
    ...undone.flatMap(notificationSteps),
  ];
}

function confirmationSteps(transaction: Detail): Step[] {
  const { status, confirmations, required_confirmations: required } = transaction;
  const wasCompleted = status === "completed" || status === "reversed";
  const name =
    required === null
      ? fillCount(text.course.confirmations, confirmations)
      : fillCount(text.course.confirmationsOf, required, {
          done: wasCompleted ? required : Math.min(confirmations, required),
        });
  if (status === "dropped") return [];
  return [
    {
      name,
      state: wasCompleted ? "done" : "now",
      ...(wasCompleted || required === null
        ? {}
        : {
            more: (
              <progress
                class="progress"
                aria-label={name}
                value={Math.min(confirmations, required)}
                max={required}
              />
            ),
          }),
    },
    {
      name: text.course.completed,
      state: wasCompleted ? "done" : "todo",
      at: transaction.completed_at,
      ...(transaction.confirmed_alone ? { more: text.course.alone } : {}),
    },
  ];
}

/** The steps that follow the completion, while no notification has been written. */
function expectedSteps({ status, notifications, type }: Detail): Step[] {
  const isNotified = type === "deposit" || type === "payment" || type === "withdrawal";
  if (status !== "pending" || notifications.length > 0 || !isNotified) return [];
  return [
    { name: text.course.notified, state: "todo" },
    { name: text.course.heard, state: "todo" },
  ];
}

function undoneSteps({ status }: Detail): Step[] {
  if (status === "reversed")
    return [{ name: text.course.reversed, state: "bad", more: text.course.reversedMore }];
  if (status === "dropped")
    return [{ name: text.course.dropped, state: "bad", more: text.course.droppedMore }];
  return [];
}

function notificationSteps(sent: Sent): Step[] {
  const { reverses_notification_id: undoes, deliveries } = sent;
  const isAlone = deliveries.every(({ webhook_id: id }) => id === null);
  return [
    {
      name: text.course.notified,
      state: "done",
      at: sent.created_at,
      more: (
        <>
          <a href={`/console/deliveries/${sent.id}`}>{sent.event}</a>
          {undoes !== null && (
            <>
              {" "}
              {text.course.undoes}{" "}
              <a href={`/console/deliveries/${undoes}`}>{text.course.earlier}</a>
            </>
          )}
        </>
      ),
    },
    ...(sent.status === "filtered" ? [filteredStep(isAlone)] : []),
    ...deliveries.map((one) => heardStep(one, isAlone)),
  ];
}

/** The first webhook's filter left it out. `isAlone`: no other one wanted it. */
function filteredStep(isAlone: boolean): Step {
  const more = isAlone ? undefined : fill(text.course.at, { webhook: text.course.first });
  return { name: text.course.notHeard.filtered, state: "done", more };
}

function heardStep(of: Sent["deliveries"][number], isAlone: boolean): Step {
  const { status, attempts, delivered_at: at, webhook_id: id, url } = of;
  const count = fillCount(text.course.attempts, attempts);
  const webhook = url ?? (id === null ? text.course.first : `…${shortId(id)}`);
  const more = isAlone ? count : `${count}, ${fill(text.course.at, { webhook })}`;
  if (status === "delivered") return { name: text.course.heard, state: "done", at, more };
  const state = status === "waiting" ? "now" : "bad";
  return { name: text.course.notHeard[status], state, more };
}

function isOfUndoing(event: string): boolean {
  return event === "transaction.reversed" || event === "transaction.dropped";
}
