import { text } from "../../../text/text.ts";
import { useNamedChains } from "../use-chains.ts";
import { ChosenFilter, type Filtering } from "./filter-bar.tsx";

/** The choice of one asset: of those of the chosen chain, or of all chains. */
export function AssetFilter({ of }: { of: Filtering<"asset" | "blockchain"> }) {
  const { asset, blockchain } = of.filters;
  const chains = useNamedChains().filter(
    ({ name }) => blockchain === undefined || name === blockchain,
  );
  const codes = new Set(chains.flatMap(({ assets }) => assets).sort());
  if (asset !== undefined) codes.add(asset);
  const options = Object.fromEntries([...codes].map((code) => [code, code]));
  return <ChosenFilter of={of} name="asset" label={text.overview.asset} options={options} />;
}
