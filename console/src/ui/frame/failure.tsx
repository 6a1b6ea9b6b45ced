import { fill, text } from "../../text/text.ts";
import type { WireFault } from "../../wire/fault.ts";
import { Button } from "../act/button.tsx";
import { faultText } from "../show/fault-text.ts";
import { Icon } from "../show/icon.tsx";

/** Says that something could not be read, and why, and offers to try again. */
export function Failure({ fault, onAgain }: { fault: WireFault; onAgain: () => void }) {
  return (
    <div class="empty" role="alert">
      <Icon name="warning" size={28} />
      <h2>{fault.status === 404 ? text.common.notFound : text.common.failed}</h2>
      <p>{faultText(fault)}</p>
      {fault.requestId !== null && (
        <p class="small mono">{fill(text.common.requestId, { id: fault.requestId })}</p>
      )}
      <Button onClick={onAgain}>{text.common.again}</Button>
    </div>
  );
}
