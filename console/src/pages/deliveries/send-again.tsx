import { useState } from "preact/hooks";
import { shortId } from "../../format/short.ts";
import { fill, fillCount, text } from "../../text/text.ts";
import { Button } from "../../ui/act/button.tsx";
import { Dialog } from "../../ui/act/dialog.tsx";
import { showToast } from "../../ui/act/toasts.tsx";
import { useShown } from "../../ui/act/use-shown.ts";
import { faultText } from "../../ui/show/fault-text.ts";
import { Foreign } from "../../ui/show/foreign.tsx";
import type { Schema } from "../../wire/api.ts";
import { forEach, type Refusal } from "../../wire/for-each.ts";
import { ChangeButton } from "../parts/change-button.tsx";
import { notifiedNumber } from "../parts/notified-number.ts";
import type { ToSend } from "./sent.ts";

type Row = ToSend & Pick<Schema<"Notification">, "status" | "payload">;

type Shown = {
  rows: readonly Row[];
  /** The words of the button that asks. */
  words: string;
  send: (one: ToSend) => Promise<unknown>;
  onDone: () => void;
};

/** Sends notifications again: says which first, then how far it is, and what was refused. */
export function SendAgain({ rows, words, send, onDone }: Shown) {
  const [asked, setAsked] = useState<readonly Row[] | null>(null);
  return (
    <>
      <ChangeButton
        needs={{ business: "notifications", operator: "businesses" }}
        icon="undo"
        onClick={() => setAsked(rows)}
      >
        {words}
      </ChangeButton>
      {asked !== null && (
        <SendDialog
          rows={asked}
          title={words}
          send={send}
          onDone={onDone}
          onClose={() => setAsked(null)}
        />
      )}
    </>
  );
}

type Asked = {
  rows: readonly Row[];
  title: string;
  send: (one: ToSend) => Promise<unknown>;
  onDone: () => void;
  onClose: () => void;
};

/** The same, once it is asked for. */
export function SendDialog({ rows, title, send, onDone, onClose }: Asked) {
  const [done, setDone] = useState<number | null>(null);
  const [refusals, setRefusals] = useState<readonly Refusal[]>([]);
  const words = text.deliveries;
  const isOver = refusals.length > 0;
  const isOpen = useShown();
  const run = async () => {
    setDone(0);
    const refused = await forEach(rows, send, { onDone: setDone });
    const sent = rows.length - refused.length;
    if (sent > 0) showToast("good", fillCount(words.resentCount, sent));
    onDone();
    if (isOpen.current) {
      if (refused.length === 0) onClose();
      else setRefusals(refused);
    } else if (refused.length > 0) showToast("bad", fillCount(words.refusedToast, refused.length));
  };
  return (
    <Dialog title={title} onClose={onClose}>
      <div class="stack">
        <p>{words.resendTheseMore}</p>
        <ul>
          {countsOf(rows).map(([status, count]) => (
            <li key={status}>
              {text.deliveryStatus[status]}: {count}
            </li>
          ))}
        </ul>
        {done !== null && (
          <p role="status">
            <progress class="progress" aria-label={title} value={done} max={rows.length} />
          </p>
        )}
        {isOver && (
          <div role="alert">
            <strong>{fillCount(words.refusedCount, refusals.length)}</strong>
            <ul>
              {refusals.map(({ id, fault }) => (
                <li key={id}>
                  <Foreign text={nameOf(rows, id)} />: {faultText(fault)}
                </li>
              ))}
            </ul>
          </div>
        )}
        <div class="dialog-foot">
          <Button onClick={onClose}>{isOver ? text.common.close : text.common.cancel}</Button>
          {!isOver && (
            <Button look="main" isDisabled={done !== null} onClick={() => void run()}>
              {fill(words.resendCount, { count: rows.length })}
            </Button>
          )}
        </div>
      </div>
    </Dialog>
  );
}

function nameOf(rows: readonly Row[], id: string): string {
  const row = rows.find((one) => one.id === id);
  return (row === undefined ? null : notifiedNumber(row.payload)) ?? `…${shortId(id)}`;
}

/** The number of rows that stand so, the most frequent first. */
function countsOf(rows: readonly Row[]): [Row["status"], number][] {
  const counts = new Map<Row["status"], number>();
  for (const { status } of rows) counts.set(status, (counts.get(status) ?? 0) + 1);
  return [...counts].sort(([, a], [, b]) => b - a);
}
