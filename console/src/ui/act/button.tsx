import type { ComponentChildren } from "preact";
import { Icon, type IconName } from "../show/icon.tsx";

type Shown = {
  children: ComponentChildren;
  onClick?: () => void;
  look?: "normal" | "main" | "danger" | "quiet";
  type?: "button" | "submit";
  icon?: IconName;
  isDisabled?: boolean;
  /** It does nothing now, and keeps the focus: a press may have led to this end. */
  isAtEnd?: boolean;
  /** The reason why the button cannot be used, shown under the pointer. */
  why?: string | undefined;
};

/** A button with words. */
export function Button(props: Shown) {
  const { look = "normal", type = "button", isDisabled = false, isAtEnd = false, icon } = props;
  return (
    <button
      class={`button button-${look}`}
      type={type}
      disabled={isDisabled}
      aria-disabled={isAtEnd ? "true" : undefined}
      title={props.why}
      onClick={() => !isAtEnd && props.onClick?.()}
    >
      {icon !== undefined && <Icon name={icon} />}
      {props.children}
    </button>
  );
}
