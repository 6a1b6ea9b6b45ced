import type { ComponentChildren } from "preact";
import { text } from "../../text/text.ts";
import { Button } from "../../ui/act/button.tsx";
import type { IconName } from "../../ui/show/icon.tsx";
import { type Needs, useSession } from "../../wire/use-session.ts";

type Shown = {
  children: ComponentChildren;
  onClick: () => void;
  icon?: IconName;
  look?: "normal" | "main" | "danger";
  isBusy?: boolean;
  needs: Needs;
};

/**
 * A button that changes something. Everybody sees it; only a session with the right that it needs
 * can use it.
 */
export function ChangeButton({ children, isBusy = false, needs, ...shown }: Shown) {
  const { session, may } = useSession();
  const isAllowed = may(needs);
  const { viewerMayNot, rightMissing } = text.common;
  return (
    <Button
      {...shown}
      isDisabled={isBusy || !isAllowed}
      why={isAllowed ? undefined : session.role === "viewer" ? viewerMayNot : rightMissing}
    >
      {children}
    </Button>
  );
}
