import { shortId } from "../../../format/short.ts";
import { text } from "../../../text/text.ts";
import { unturned } from "../../../ui/show/turned.ts";
import { answered, api } from "../../../wire/api.ts";
import { useAnswer } from "../../../wire/use-answer.ts";
import { ChosenFilter, type Filtering } from "./filter-bar.tsx";

// The largest page of a list. An older business is found by the search.
const most = 500;

/** The choice of one business, by its name. The newest ones are offered, and the chosen one. */
export function BusinessFilter({ of }: { of: Filtering<"business_id"> }) {
  const { answer } = useAnswer("businesses", ["businesses"], (as) =>
    answered(api.GET("/admin/businesses", { params: { query: { limit: most } }, ...as })),
  );
  const chosen = of.filters.business_id;
  const rows = answer.state === "ready" ? answer.value.data : [];
  const options = Object.fromEntries(rows.map(({ id, name }) => [id, unturned(name)]));
  if (chosen !== undefined && options[chosen] === undefined)
    options[chosen] = `…${shortId(chosen)}`;
  return <ChosenFilter of={of} name="business_id" label={text.businesses.one} options={options} />;
}
