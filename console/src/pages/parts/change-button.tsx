import type { ComponentChildren } from "preact";
import { text } from "../../text/text.ts";
import { Button } from "../../ui/act/button.tsx";
import type { IconName } from "../../ui/show/icon.tsx";
import { useSession } from "../../wire/use-session.ts";

type Shown = {
  children: ComponentChildren;
  onClick: () => void;
  icon?: IconName;
  look?: "normal" | "main" | "danger";
  isBusy?: boolean;
};

/**
 * A button that changes something. Everybody sees it; only a person who may change something can
 * use it.
 */
export function ChangeButton({ children, isBusy = false, ...shown }: Shown) {
  const { mayChange } = useSession();
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
