import { text } from "../../text/text.ts";
import { Button } from "../../ui/act/button.tsx";
import { useAction } from "../../ui/act/use-action.ts";

/** Ends a session. */
export function EndButton({ end }: { end: () => Promise<void> }) {
  const { isBusy, run } = useAction(end);
  return (
    <Button isDisabled={isBusy} onClick={run}>
      {text.sessions.end}
    </Button>
  );
}
