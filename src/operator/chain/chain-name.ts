import { Fault } from "../../domain/fault.ts";
import { isPlainText } from "../../domain/text.ts";

/** @throws Fault `chain_not_found` if the text cannot be the name of a chain */
export function requireChainName(name: string): string {
  if (isPlainText(name)) return name;
  throw new Fault("chain_not_found", "No chain has this name: see status.");
}
