import { addressOf } from "../../route/place.ts";
import { answered, api, type Schema } from "../../wire/api.ts";
import type { Session } from "../../wire/session.ts";

/** A result, and the address of its page. */
export type Found = Schema<"Found"> & { address: string };

/**
 * Searches for a hash, an address, an id, a reference or a label.
 * @throws WireFault where the server could not answer
 */
export async function search(kind: Session["kind"], sought: string): Promise<readonly Found[]> {
  const params = { params: { query: { q: sought } } };
  const asked =
    kind === "business"
      ? answered(api.GET("/search", params))
      : answered(api.GET("/admin/search", params));
  const { data } = await asked;
  return data.map((found) => ({ ...found, address: addressFor(kind, found) }));
}

function addressFor(kind: Session["kind"], found: Schema<"Found">): string {
  const { kind: of, id, label } = found;
  // Beside it an operator sees the list of its business.
  const business_id = kind === "operator" ? found.business_id : null;
  if (of === "business") return addressOf(`/businesses/${id}`);
  if (of === "chain") return addressOf("/chains", { chain: id });
  if (of === "key" && kind === "business") return addressOf("/keys");
  // An operator revokes a key beside its business.
  if (of === "key") return addressOf(`/businesses/${found.business_id}`, { tab: "keys" });
  if (of === "transaction") return addressOf(`/transactions/${id}`, { business_id });
  if (of === "sighting") return addressOf("/sightings", { business_id, tx_hash: label });
  if (of === "wallet") return addressOf(`/wallets/${id}`, { business_id });
  return addressOf(`/deliveries/${id}`);
}
