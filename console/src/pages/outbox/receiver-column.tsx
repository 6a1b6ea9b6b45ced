import { text } from "../../text/text.ts";
import type { Column } from "../../ui/table/table.tsx";
import { BusinessLink } from "../parts/business-names.tsx";

/** The receiver of a row, and whose it is. */
export const receiverColumn: Column<{ url: string; business_id: string }> = {
  name: "url",
  head: text.webhooks.url,
  cell: ({ url, business_id: id }) => (
    <>
      <span class="break name">{url}</span>
      <BusinessLink id={id} isSecond={true} />
    </>
  ),
};
