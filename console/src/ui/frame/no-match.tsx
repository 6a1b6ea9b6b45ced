import { addressOf } from "../../route/place.ts";
import { text } from "../../text/text.ts";
import { Empty } from "./empty.tsx";

/** Says that no row matches the filters, and leads to all rows. */
export function NoMatch({ path }: { path: string }) {
  return (
    <Empty icon="search" title={text.common.nothingMatches}>
      <a href={addressOf(path)}>{text.common.clearFilters}</a>
    </Empty>
  );
}
