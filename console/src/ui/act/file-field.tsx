import { useState } from "preact/hooks";
import { text } from "../../text/text.ts";

type Shown = {
  label: string;
  /** The endings and types that the browser offers, as `accept` of a file. */
  accept: string;
  onText: (text: string) => void;
};

/** A file to choose, or to drop anywhere on the field. `onText` gets what the file says. */
export function FileField({ label, accept, onText }: Shown) {
  const [isOver, setOver] = useState(false);
  const read = (file: File | undefined) => void file?.text().then(onText);
  return (
    <label
      class={isOver ? "field drop drop-over" : "field drop"}
      // Without this the browser opens the file in the place of the page.
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault();
        setOver(false);
        read(event.dataTransfer?.files[0]);
      }}
    >
      <span>{label}</span>
      <input
        class="input"
        type="file"
        accept={accept}
        // The same file, mended, is another choice: the browser tells of it only from none.
        onClick={(event) => {
          event.currentTarget.value = "";
        }}
        onChange={(event) => read(event.currentTarget.files?.[0])}
      />
      <span class="small muted">{text.common.dropFile}</span>
    </label>
  );
}
