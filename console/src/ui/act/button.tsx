import type { ComponentChildren } from "preact";
import { Icon, type IconName } from "../show/icon.tsx";

type Shown = {
  children: ComponentChildren;
  onClick?: () => void;
  look?: "normal" | "main" | "danger" | "quiet";
  type?: "button" | "submit";
  icon?: IconName;
  isDisabled?: boolean;
  /** The reason why the button cannot be used, shown under the pointer. */
  why?: string | undefined;
};

/** A button with words. */
export function Button(props: Shown) {
  const { look = "normal", type = "button", isDisabled = false, icon } = props;
  return (
    <button
      class={`button button-${look}`}
      type={type}
      disabled={isDisabled}
      title={props.why}
      onClick={() => props.onClick?.()}
    >
      {icon !== undefined && <Icon name={icon} />}
      {props.children}
    </button>
  );
}
