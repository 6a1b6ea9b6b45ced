import type { ComponentChildren } from "preact";
import { text } from "../../text/text.ts";
import { Button } from "../../ui/act/button.tsx";
import type { IconName } from "../../ui/show/icon.tsx";
import type { Scope } from "../../wire/session.ts";
import { useSession } from "../../wire/use-session.ts";

type Shown = {
  children: ComponentChildren;
  onClick: () => void;
  icon?: IconName;
  look?: "normal" | "main" | "danger";
  isBusy?: boolean;
  /** The scope that an admin token needs for it. Left out: a button of businesses' pages. */
  scope?: Scope;
};

/**
 * A button that changes something. Everybody sees it; only a person who may change something can
 * use it.
 */
export function ChangeButton({ children, isBusy = false, scope, ...shown }: Shown) {
  const mayChange = useSession().mayChange(scope ?? null);
  return (
    <Button
      {...shown}
      isDisabled={isBusy || !mayChange}
      why={mayChange ? undefined : text.common.viewerMayNot}
    >
      {children}
    </Button>
  );
}
