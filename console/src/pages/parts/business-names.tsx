import { shortId } from "../../format/short.ts";
import { addressOf } from "../../route/place.ts";
import { Foreign } from "../../ui/show/foreign.tsx";
import { answered, api } from "../../wire/api.ts";
import { type Asking, useAnswer } from "../../wire/use-answer.ts";

/** The most that one request names. */
const mostIds = 100;

/** Ids whose names are asked for in one request, and the names. */
type Batch = { ids: Set<string>; names: Promise<ReadonlyMap<string, string>> };

/** The batch of this moment, by the headers of its request. */
const open = new Map<string, Batch>();

/** A link to a business, by its name. */
export function BusinessLink({ id, isSecond = false }: { id: string; isSecond?: boolean }) {
  return (
    <a class={isSecond ? "second above-link" : ""} href={addressOf(`/businesses/${id}`)} title={id}>
      <Foreign text={useBusinessName(id)} />
    </a>
  );
}

/**
 * The name of a business, or the end of its id while no name is known. Without an id it is empty.
 */
export function useBusinessName(id: string | undefined): string {
  const { answer } = useAnswer(`business ${id}`, ["businesses"], async (as) =>
    id === undefined ? undefined : { id, name: await nameOf(id, as) },
  );
  if (id === undefined) return "";
  const known = answer.state === "ready" ? answer.value : undefined;
  return (known?.id === id ? known.name : undefined) ?? `…${shortId(id)}`;
}

/** Names that are asked for at the same moment, as by the rows of a list, are one request. */
async function nameOf(id: string, as: Asking): Promise<string | undefined> {
  const key = JSON.stringify(as.headers);
  const known = open.get(key);
  const batch = known !== undefined && known.ids.size < mostIds ? known : begin(key, as);
  batch.ids.add(id);
  return (await batch.names).get(id);
}

function begin(key: string, as: Asking): Batch {
  const ids = new Set<string>();
  const ask = async () => {
    // The rows of a list ask one after the other, before anything that waits goes on.
    await Promise.resolve();
    if (open.get(key)?.ids === ids) open.delete(key);
    const query = { ids: [...ids].join(), limit: mostIds };
    const { data } = await answered(api.GET("/admin/businesses", { params: { query }, ...as }));
    return new Map(data.map((one) => [one.id, one.name]));
  };
  const batch = { ids, names: ask() };
  open.set(key, batch);
  return batch;
}
