import { useState } from "preact/hooks";
import type { LineFault } from "../../../format/csv.ts";
import { fillCount, text } from "../../../text/text.ts";
import { Button } from "../../../ui/act/button.tsx";
import { Dialog } from "../../../ui/act/dialog.tsx";
import { FileField } from "../../../ui/act/file-field.tsx";
import { showToast } from "../../../ui/act/toasts.tsx";
import { asFault } from "../../../wire/fault.ts";
import { LineFaults } from "./line-faults.tsx";
import { refusedLines } from "./refused-lines.ts";
import { readWalletRows, type WalletRow } from "./wallet-rows.ts";

type Shown = {
  /** Adds all or none. */
  send: (wallets: readonly WalletRow[]) => Promise<void>;
  onDone: () => void;
  onClose: () => void;
};

/** Adds the wallets of a CSV file, all or none, and names each line that is wrong. */
export function ImportDialog({ send, onDone, onClose }: Shown) {
  const [csv, setCsv] = useState("");
  const [isBusy, setBusy] = useState(false);
  const [refused, setRefused] = useState<readonly LineFault[]>([]);
  const { rows, lines, faults } = readWalletRows(csv);
  const write = (next: string) => {
    setCsv(next);
    setRefused([]);
  };
  const submit = async () => {
    setBusy(true);
    try {
      await send(rows);
      showToast("good", fillCount(text.import.done, rows.length));
      onDone();
      onClose();
    } catch (thrown) {
      setRefused(refusedLines(asFault(thrown), lines));
      setBusy(false);
    }
  };
  const isReady = rows.length > 0 && faults.length === 0;
  return (
    <Dialog title={text.import.title} onClose={onClose}>
      <p class="muted">{text.import.what}</p>
      <FileField label={text.import.file} accept=".csv,text/csv" onText={write} />
      <label class="field">
        <span>{text.import.text}</span>
        <textarea
          class="input mono"
          value={csv}
          spellcheck={false}
          placeholder={text.import.example}
          onInput={(event) => write(event.currentTarget.value)}
          onKeyDown={(event) => {
            // Enter begins a line; with Ctrl or Command it submits, as elsewhere on the web.
            const isSubmitted = event.key === "Enter" && (event.ctrlKey || event.metaKey);
            if (isSubmitted && isReady && !isBusy) void submit();
          }}
        />
      </label>
      <LineFaults of={[...faults, ...refused]} />
      <div class="dialog-foot">
        <Button onClick={onClose}>{text.common.cancel}</Button>
        <Button look="main" isDisabled={!isReady || isBusy} onClick={() => void submit()}>
          {isReady ? fillCount(text.import.do, rows.length) : text.import.open}
        </Button>
      </div>
    </Dialog>
  );
}
