import { shorten } from "../../format/short.ts";
import { CopyButton } from "../act/copy-button.tsx";

type Shown = { value: string; what: string; head?: number; tail?: number };

/**
 * A hash, an address or an id, shortened. The whole value shows under the pointer and can be
 * copied.
 */
export function Hash({ value, what, head = 8, tail = 6 }: Shown) {
  return (
    <span class="hash">
      <span class="mono nowrap" title={value}>
        {shorten(value, head, tail)}
      </span>
      <CopyButton value={value} what={what} />
    </span>
  );
}
