import { useId } from "preact/hooks";
import { line } from "./line.ts";

type Shown = {
  label: string;
  value: string;
  onInput: (value: string) => void;
  type?: "text" | "password" | "number" | "date" | "datetime-local" | "url";
  placeholder?: string;
  hint?: string;
  fault?: string | null;
  isRequired?: boolean;
};

/** A line to write into, with its name above and its fault below. */
export function Field(props: Shown) {
  const { label, value, type = "text", fault = null } = props;
  const id = useId();
  return (
    <div class="field">
      <label htmlFor={id}>{label}</label>
      {line({
        kind: type,
        id,
        value,
        placeholder: props.placeholder,
        isRequired: props.isRequired ?? false,
        isInvalid: fault !== null,
        onInput: props.onInput,
      })}
      {props.hint !== undefined && <span class="small muted">{props.hint}</span>}
      {fault !== null && <span class="small">{fault}</span>}
    </div>
  );
}
