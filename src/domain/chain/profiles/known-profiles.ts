import { assumed, type ChainProfile } from "../profile.ts";
import { arbitrumProfiles } from "./arbitrum.ts";
import { avalancheProfiles } from "./avalanche.ts";
import { cosmosProfiles } from "./cosmos.ts";
import { ethereum, ethereumProfiles } from "./ethereum.ts";
import { gnosisProfiles } from "./gnosis.ts";
import { layerOneProfiles } from "./layer-ones.ts";
import { opStackProfiles } from "./op-stack.ts";
import { polygonProfiles } from "./polygon.ts";
import { rollupProfiles } from "./rollups.ts";
import { stablecoinProfiles } from "./stablecoin-chains.ts";

/** Every chain that is known, family by family. */
export const knownProfiles: readonly ChainProfile[] = [
  ...ethereumProfiles,
  ...opStackProfiles,
  ...arbitrumProfiles,
  ...polygonProfiles,
  ...avalancheProfiles,
  ...gnosisProfiles,
  ...rollupProfiles,
  ...layerOneProfiles,
  ...cosmosProfiles,
  ...stablecoinProfiles,
];

const byId = new Map(knownProfiles.map((profile) => [profile.chainId, profile]));

/** The profile of a chain. For an unknown chain it assumes only what is said of every EVM chain. */
export function profileOf(chainId: number): ChainProfile {
  return (
    byId.get(chainId) ?? {
      ...ethereum,
      chainId,
      name: `chain ${chainId}`,
      family: "unknown",
      coin: { code: null },
      receipts: "bloom",
      hasTransactionsRoot: false,
      explorer: null,
      forks: [],
      evidence: assumed("nothing: no profile names this chain"),
    }
  );
}
