import { useLayoutEffect, useState } from "preact/hooks";
import { text } from "../../text/text.ts";
import { Badge, type Tone } from "../show/badge.tsx";
import { IconButton } from "./icon-button.tsx";

type Toast = { id: number; tone: Tone; message: string };

const shownMs = 8_000;
let toasts: readonly Toast[] = [];
let lastId = 0;
const watchers = new Set<() => void>();

/** Shows the outcome of an action for 8 s. */
export function showToast(tone: Tone, message: string): void {
  lastId += 1;
  const id = lastId;
  become([...toasts.slice(-3), { id, tone, message }]);
  setTimeout(() => remove(id), shownMs);
}

/** The place where all toasts appear. A page has one. */
export function Toasts() {
  const [shown, setShown] = useState(toasts);
  useLayoutEffect(() => {
    const follow = () => setShown(toasts);
    watchers.add(follow);
    return () => {
      watchers.delete(follow);
    };
  }, []);
  return (
    <div class="toasts" role="status" aria-live="polite">
      {shown.map((toast) => (
        <div class="toast" key={toast.id}>
          <Badge tone={toast.tone}>{text.toast[toast.tone]}</Badge>
          <span>{toast.message}</span>
          <IconButton
            icon="close"
            label={text.common.close}
            isTiny={true}
            onClick={() => remove(toast.id)}
          />
        </div>
      ))}
    </div>
  );
}

function remove(id: number): void {
  become(toasts.filter((toast) => toast.id !== id));
}

function become(next: readonly Toast[]): void {
  toasts = next;
  for (const watcher of watchers) watcher();
}
