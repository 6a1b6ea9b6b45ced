import { assumed, type ChainProfile } from "./profile.ts";
import { arbitrumProfiles } from "./profiles/arbitrum.ts";
import { avalancheProfiles } from "./profiles/avalanche.ts";
import { cosmosProfiles } from "./profiles/cosmos.ts";
import { ethereum, ethereumProfiles } from "./profiles/ethereum.ts";
import { gnosisProfiles } from "./profiles/gnosis.ts";
import { layerOneProfiles } from "./profiles/layer-ones.ts";
import { opStackProfiles } from "./profiles/op-stack.ts";
import { polygonProfiles } from "./profiles/polygon.ts";
import { rollupProfiles } from "./profiles/rollups.ts";
import { stablecoinProfiles } from "./profiles/stablecoin-chains.ts";

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

/** Of a chain that is not known only what every EVM chain is said to do is taken for granted. */
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
