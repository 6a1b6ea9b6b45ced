import { text } from "../../../text/text.ts";
import { useNamedChains } from "../use-chains.ts";
import { ChosenFilter, type Filtering } from "./filter-bar.tsx";

/** The choice of one chain, of those that are watched and the chosen one. */
export function ChainFilter({ of }: { of: Filtering<"blockchain"> }) {
  const names = new Set(useNamedChains().map(({ name }) => name));
  if (of.filters.blockchain !== undefined) names.add(of.filters.blockchain);
  const options = Object.fromEntries([...names].map((one) => [one, one]));
  return (
    <ChosenFilter of={of} name="blockchain" label={text.wallets.blockchain} options={options} />
  );
}
