import { answered, api } from "../../wire/api.ts";
import type { KeyWish } from "../parts/keys/create-key-dialog.tsx";

/** Makes a key and answers it; it is not shown again. */
export async function createKey(wish: KeyWish): Promise<string> {
  const { key } = await answered(api.POST("/api-keys", { body: wish }));
  return key;
}

/** Ends a key. */
export async function revokeKey(id: string): Promise<void> {
  await answered(api.DELETE("/api-keys/{id}", { params: { path: { id } } }));
}
