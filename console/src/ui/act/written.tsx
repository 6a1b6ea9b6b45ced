import { useEffect, useId, useRef, useState } from "preact/hooks";
import { line } from "./line.ts";

// The wait after the last letter, in ms: not every letter asks anew.
const pauseMs = 300;

type Shown = {
  label: string;
  value: string;
  placeholder?: string;
  type?: "text" | "datetime-local" | "month";
  isWide?: boolean;
  onChange: (value: string) => void;
};

/** A filter that is written. It takes effect after a pause in typing, at Enter, or when left. */
export function Written(props: Shown) {
  const { label, value, type = "text", onChange } = props;
  const [draft, setDraft] = useState(value);
  const timer = useRef(0);
  const asked = useRef(value);
  // A value from elsewhere takes the place of the draft. Our own comes back while one types on.
  useEffect(() => {
    if (value === asked.current) return;
    asked.current = value;
    clearTimeout(timer.current);
    setDraft(value);
  }, [value]);
  useEffect(() => () => clearTimeout(timer.current), []);
  const submit = (next: string) => {
    clearTimeout(timer.current);
    if (next.trim() === asked.current) return;
    asked.current = next.trim();
    onChange(next.trim());
  };
  const write = (next: string) => {
    setDraft(next);
    clearTimeout(timer.current);
    timer.current = window.setTimeout(() => submit(next), pauseMs);
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
        onInput: write,
        onChange: submit,
      })}
    </div>
  );
}
