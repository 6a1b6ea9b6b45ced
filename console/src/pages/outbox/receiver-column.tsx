import { text } from "../../text/text.ts";
import type { Column } from "../../ui/table/table.tsx";
import { BusinessLink } from "../parts/business-names.tsx";

type Receiver = { url: string; business_id: string };

/** The receiver of a row, and whose it is. */
export function receiverColumn(businesses: ReadonlyMap<string, string>): Column<Receiver> {
  return {
    name: "url",
    head: text.webhooks.url,
    cell: ({ url, business_id: id }) => (
      <>
        <span class="break">{url}</span>
        <BusinessLink id={id} names={businesses} isSecond={true} />
      </>
    ),
  };
}
