import { useState } from "preact/hooks";
import { shortId } from "../../../format/short.ts";
import { text } from "../../../text/text.ts";
import { mostOffered, type Offered, SoughtChoice } from "../../../ui/act/sought-choice.tsx";
import { unturned } from "../../../ui/show/turned.ts";
import { answered, api, type Schema } from "../../../wire/api.ts";
import { useAnswer } from "../../../wire/use-answer.ts";
import { useBusinessName } from "../business-names.tsx";
import { mostListed, useBusinesses } from "../use-businesses.ts";
import { ChosenFilter, type Filtering } from "./filter-bar.tsx";

type Shown = { of: Filtering<"business_id"> };

/** The filter that clearing the others keeps: without a business there is no list. */
export function keptOf(businessId: string | undefined): Readonly<Record<string, string>> {
  return businessId === undefined ? {} : { business_id: businessId };
}

/** The choice of one business, by its name: from a list, or by writing where they are many. */
export function BusinessFilter({ of }: Shown) {
  const { answer } = useBusinesses();
  const businesses = answer.state === "ready" ? answer.value.data : [];
  return businesses.length > mostListed ? (
    <SoughtBusiness of={of} />
  ) : (
    <ListedBusiness of={of} businesses={businesses} />
  );
}

function ListedBusiness({ of, businesses }: Shown & { businesses: readonly Business[] }) {
  const chosen = of.filters.business_id;
  const options = Object.fromEntries(businesses.map(({ id, name }) => [id, unturned(name)]));
  if (chosen !== undefined && options[chosen] === undefined)
    options[chosen] = `…${shortId(chosen)}`;
  return <ChosenFilter of={of} name="business_id" label={text.businesses.one} options={options} />;
}

function SoughtBusiness({ of }: Shown) {
  const [sought, setSought] = useState("");
  const { answer } = useAnswer(`businesses ${sought}`, ["businesses"], (as) => {
    const query = { limit: mostOffered, ...(sought !== "" && { q: sought }) };
    return answered(api.GET("/admin/businesses", { params: { query }, ...as }));
  });
  const isKnown = answer.state === "ready" && !answer.isStale;
  return (
    <SoughtChoice
      label={text.businesses.one}
      chosen={unturned(useBusinessName(of.filters.business_id))}
      sought={sought}
      offered={isKnown ? offeredOf(answer.value.data) : null}
      nothing={text.businesses.noneNamed}
      onSeek={setSought}
      onChange={(id) => of.change("business_id", id)}
    />
  );
}

type Business = Schema<"Business">;

/** Businesses of the same name are told apart by their ids. */
function offeredOf(businesses: readonly Business[]): Offered[] {
  const names = businesses.map(({ name }) => unturned(name));
  return businesses.map(({ id }, place) => {
    const name = names[place] ?? "";
    const isShared = names.indexOf(name) !== names.lastIndexOf(name);
    return { id, name: isShared ? `${name} · …${shortId(id)}` : name };
  });
}
