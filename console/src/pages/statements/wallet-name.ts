import { shorten } from "../../format/short.ts";
import { unturned } from "../../ui/show/turned.ts";
import type { Schema } from "../../wire/api.ts";

/** Tells a wallet from every other one of its business. */
export function walletName({ label, address, blockchain }: Schema<"Wallet">): string {
  const short = shorten(address, 10, 8);
  const names = label === null ? [short, blockchain] : [label, blockchain, short];
  return unturned(names.join(" · "));
}

/** The same with the whole address: for a page that is of one wallet. */
export function fullName({ label, address, blockchain }: Schema<"Wallet">): string {
  return [...(label === null ? [] : [label]), blockchain, address].join(" · ");
}
