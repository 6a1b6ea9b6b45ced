import { useEffect, useId, useState } from "preact/hooks";
import { line } from "./line.ts";

type Shown = {
  label: string;
  value: string;
  placeholder?: string;
  type?: "text" | "date" | "month";
  isWide?: boolean;
  onChange: (value: string) => void;
};

/** A filter that is written. It takes effect when the line is left, or at Enter. */
export function Written(props: Shown) {
  const { label, value, type = "text", onChange } = props;
  const [draft, setDraft] = useState(value);
  useEffect(() => setDraft(value), [value]);
  const submit = (next: string) => {
    if (next.trim() !== value) onChange(next.trim());
  };
  const id = useId();
  return (
    <div class={`filter ${props.isWide === true ? "filter-wide" : ""}`}>
      <label htmlFor={id}>{label}</label>
      {line({
        kind: type,
        id,
        value: draft,
        placeholder: props.placeholder,
        isRequired: false,
        isInvalid: false,
        onInput: setDraft,
        onChange: submit,
      })}
    </div>
  );
}
