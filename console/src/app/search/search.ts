import { addressOf } from "../../route/place.ts";
import { readOptional } from "../../wire/optional.ts";
import type { Session } from "../../wire/session.ts";

/** Something that was found, and the address of its page. */
export type Found = { kind: string; label: string; detail: string; address: string };

type FoundByServer = { kind: string; id: string; label: string; detail: string };

/** What a hash, an address, an id, a reference or a label belongs to. Empty where the server could not be asked. */
export async function search(kind: Session["kind"], sought: string): Promise<readonly Found[]> {
  const path = kind === "business" ? "/search" : "/admin/search";
  const found = await readOptional<{ data: FoundByServer[] }>(path, { q: sought }).catch(
    () => null,
  );
  return found === null ? guess(kind, sought) : found.data.map(present);
}

function present({ kind, id, label, detail }: FoundByServer): Found {
  return { kind, label, detail, address: addressFor(kind, id) };
}

function addressFor(kind: string, id: string): string {
  if (kind === "transaction") return addressOf(`/transactions/${id}`);
  if (kind === "wallet") return addressOf(`/wallets/${id}`);
  if (kind === "notification") return addressOf(`/deliveries/${id}`);
  if (kind === "key") return addressOf("/keys");
  if (kind === "business") return addressOf(`/businesses/${id}`);
  return addressOf("/", { chain: id });
}

/** Where something of this form is to be found, by its form alone. */
function guess(kind: Session["kind"], sought: string): Found[] {
  const found = (of: string, address: string): Found => ({
    kind: of,
    label: sought,
    detail: "",
    address,
  });
  if (kind === "operator") return [found("business", addressOf("/businesses", { q: sought }))];
  if (/^0x[0-9a-f]{64}$/i.test(sought))
    return [found("transaction", addressOf("/transactions", { tx_hash: sought }))];
  if (/^0x[0-9a-f]{40}$/i.test(sought))
    return [found("wallet", addressOf("/wallets", { address: sought }))];
  if (/^[0-9a-f]{8}-[0-9a-f-]{27}$/i.test(sought))
    return [
      found("transaction", addressOf(`/transactions/${sought}`)),
      found("notification", addressOf(`/deliveries/${sought}`)),
      found("wallet", addressOf(`/wallets/${sought}`)),
    ];
  return [found("wallet", addressOf("/wallets", { reference: sought }))];
}
