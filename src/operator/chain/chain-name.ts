import { chainNotFound } from "../../domain/not-found.ts";
import { isPlainText } from "../../domain/text.ts";

/** @throws Fault `chain_not_found` if the text cannot be the name of a chain */
export function requireChainName(name: string): string {
  if (isPlainText(name)) return name;
  throw chainNotFound(name);
}
