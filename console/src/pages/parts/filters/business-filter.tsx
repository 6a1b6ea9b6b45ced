import { shortId } from "../../../format/short.ts";
import { text } from "../../../text/text.ts";
import { unturned } from "../../../ui/show/turned.ts";
import { useBusinessNames } from "../business-names.tsx";
import { ChosenFilter, type Filtering } from "./filter-bar.tsx";

/** The choice of one business, by its name. The newest ones are offered, and the chosen one. */
export function BusinessFilter({ of }: { of: Filtering<"business_id"> }) {
  const names = useBusinessNames();
  const chosen = of.filters.business_id;
  const options = Object.fromEntries([...names].map(([id, name]) => [id, unturned(name)]));
  if (chosen !== undefined && options[chosen] === undefined)
    options[chosen] = `…${shortId(chosen)}`;
  return <ChosenFilter of={of} name="business_id" label={text.businesses.one} options={options} />;
}
