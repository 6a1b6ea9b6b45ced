import { useId } from "preact/hooks";

type Shown = {
  label: string;
  value: string;
  onInput: (value: string) => void;
  placeholder?: string;
  hint?: string;
};

/** Several lines to write into, with their name above. */
export function Area({ label, value, onInput, placeholder, hint }: Shown) {
  const id = useId();
  return (
    <div class="field">
      <label htmlFor={id}>{label}</label>
      <textarea
        class="input mono"
        id={id}
        value={value}
        spellcheck={false}
        autocomplete="off"
        placeholder={placeholder}
        onInput={(event) => onInput(event.currentTarget.value)}
      />
      {hint !== undefined && <span class="small muted">{hint}</span>}
    </div>
  );
}
