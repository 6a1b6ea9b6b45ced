import { useEffect, useState } from "preact/hooks";
import { fill, text } from "../../text/text.ts";
import { IconButton } from "./icon-button.tsx";
import { showToast } from "./toasts.tsx";

const shownMs = 1_500;

/** Copies a value; `what` names it. */
export function CopyButton({ value, what }: { value: string; what: string }) {
  const [isDone, setDone] = useState(false);
  useEffect(() => {
    if (!isDone) return;
    const timer = setTimeout(() => setDone(false), shownMs);
    return () => clearTimeout(timer);
  }, [isDone]);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(value);
      setDone(true);
    } catch {
      // Browsers allow it only over https and on this machine.
      showToast("bad", text.common.copyRefused);
    }
  };
  const label = isDone ? text.common.copied : fill(text.common.copy, { what });
  return (
    <IconButton
      icon={isDone ? "done" : "copy"}
      label={label}
      onClick={() => void copy()}
      isTiny={true}
    />
  );
}
