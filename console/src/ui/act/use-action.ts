import { useState } from "preact/hooks";
import { asFault } from "../../wire/fault.ts";
import { faultText } from "../show/fault-text.ts";
import { showToast } from "./toasts.tsx";

/** Runs an action once at a time. A refusal is shown as a toast. */
export function useAction(act: () => Promise<void>): { isBusy: boolean; run: () => void } {
  const [isBusy, setBusy] = useState(false);
  const run = async () => {
    setBusy(true);
    try {
      await act();
    } catch (thrown) {
      showToast("bad", faultText(asFault(thrown)));
    }
    setBusy(false);
  };
  return { isBusy, run: () => void run() };
}
