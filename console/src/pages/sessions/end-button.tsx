import { text } from "../../text/text.ts";
import { useAction } from "../../ui/act/use-action.ts";
import { ChangeButton } from "../parts/change-button.tsx";

/** Ends the session of somebody else. */
export function EndButton({ end }: { end: () => Promise<void> }) {
  const { isBusy, run } = useAction(end);
  return (
    <ChangeButton
      needs={{ business: "unlimited", operator: "unlimited" }}
      isBusy={isBusy}
      onClick={run}
    >
      {text.sessions.end}
    </ChangeButton>
  );
}
