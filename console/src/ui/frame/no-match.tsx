import { addressOf } from "../../route/place.ts";
import { text } from "../../text/text.ts";
import { Empty } from "./empty.tsx";

type Shown = { path: string; kept?: Readonly<Record<string, string>> };

/** Says that no row matches the filters, and leads to all rows. `kept`: filters that stay. */
export function NoMatch({ path, kept = {} }: Shown) {
  return (
    <Empty icon="search" title={text.common.nothingMatches}>
      <a href={addressOf(path, kept)}>{text.common.clearFilters}</a>
    </Empty>
  );
}
