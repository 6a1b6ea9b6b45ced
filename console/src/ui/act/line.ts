import { type AllHTMLAttributes, h, type VNode } from "preact";

type Kind = "text" | "password" | "number" | "date" | "month" | "datetime-local" | "url";

type Line = {
  kind: Kind;
  id: string;
  value: string;
  placeholder: string | undefined;
  isRequired: boolean;
  isInvalid: boolean;
  onInput: (value: string) => void;
  /** Called when the line is left, or at Enter. */
  onChange?: (value: string) => void;
};

/**
 * One line to write into, of any kind. JSX has a type for each kind alone, and none for several.
 */
export function line({ kind, isRequired, isInvalid, onInput, onChange, ...more }: Line): VNode {
  return h<AllHTMLAttributes<HTMLInputElement>>("input", {
    ...more,
    class: "input",
    type: kind,
    required: isRequired,
    "aria-invalid": isInvalid,
    autocomplete: "off",
    spellcheck: false,
    onInput: (event) => onInput(event.currentTarget.value),
    onChange: (event) => onChange?.(event.currentTarget.value),
  });
}
