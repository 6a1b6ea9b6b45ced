import { text } from "../../text/text.ts";
import { CopyButton } from "../act/copy-button.tsx";

/** A command to run in a terminal. */
export function Command({ line }: { line: string }) {
  return (
    <div class="command">
      <code>{line}</code>
      <CopyButton value={line} what={text.common.command} />
    </div>
  );
}
