import type { Schema } from "../../wire/api.ts";
import { change } from "../../wire/change.ts";
import { readOptional } from "../../wire/optional.ts";
import type { Asking } from "../../wire/use-answer.ts";
import type { KeyWish } from "../parts/keys/create-key-dialog.tsx";

const path = "/console/api/api-keys";

/** The keys of the business, the newest first; null where the server has no such list. */
export async function readKeys(as: Asking): Promise<Schema<"ApiKey">[] | null> {
  const answer = await readOptional<{ data: Schema<"ApiKey">[] }>("/api-keys", {}, as);
  return answer === null ? null : answer.data;
}

/** Makes a key and answers it; it is not shown again. */
export async function createKey(wish: KeyWish): Promise<string> {
  const answer = await change<{ key: string }>("POST", path, wish);
  return answer?.key ?? "";
}

/** Ends a key. */
export async function revokeKey(id: string): Promise<void> {
  await change("DELETE", `${path}/${id}`);
}
