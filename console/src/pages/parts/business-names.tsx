import { shortId } from "../../format/short.ts";
import { addressOf } from "../../route/place.ts";
import { Foreign } from "../../ui/show/foreign.tsx";
import { answered, api } from "../../wire/api.ts";
import { useAnswer } from "../../wire/use-answer.ts";

// The largest page of a list. An older business is shown by its id, and found by the search.
const most = 500;

/** The names of the newest businesses by their ids; none while they are not known. */
export function useBusinessNames(): ReadonlyMap<string, string> {
  const { answer } = useAnswer("businesses", ["businesses"], (as) =>
    answered(api.GET("/admin/businesses", { params: { query: { limit: most } }, ...as })),
  );
  const rows = answer.state === "ready" ? answer.value.data : [];
  return new Map(rows.map(({ id, name }) => [id, name]));
}

/** A link to a business by its name, where no list of names is at hand. */
export function NamedBusiness({ id }: { id: string }) {
  return <BusinessLink id={id} names={useBusinessNames()} />;
}

type Shown = { id: string; names: ReadonlyMap<string, string>; isSecond?: boolean };

/** A link to a business, by its name as far as that is known. */
export function BusinessLink({ id, names, isSecond = false }: Shown) {
  return (
    <a class={isSecond ? "second" : ""} href={addressOf(`/businesses/${id}`)} title={id}>
      <Foreign text={names.get(id) ?? `…${shortId(id)}`} />
    </a>
  );
}
