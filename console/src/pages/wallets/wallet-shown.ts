import type { Schema } from "../../wire/api.ts";

/** A wallet, with how its history was found where the server says it. */
export type WalletShown = Schema<"Wallet"> & {
  history?: Schema<"AdminWallet">["history"];
  from_block?: number | null;
};
