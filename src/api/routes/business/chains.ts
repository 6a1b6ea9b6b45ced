import { z } from "zod";
import type { BusinessLedger } from "../../../domain/business/business-ledger.ts";
import type { ChainHeights } from "../../../domain/chain/chain-status.ts";
import { profileOf } from "../../../domain/chain/profiles/known-profiles.ts";
import { assetCodes, count, dataBody, height, heightOf } from "../../../schema/answers.ts";
import { answersWithData } from "../../answers/answers.ts";
import type { Web } from "../../http/web.ts";

export type ChainsDeps = Pick<BusinessLedger, "readChainHeights"> & {
  /** The configured confirmations of a chain. Null: it is no longer configured. */
  requiredConfirmations: (chainName: string) => number | null;
  clock: { now: () => number };
};

const shown = z
  .object({
    name: z.string(),
    chain_id: z.int().meta({ description: "The EIP-155 id of the chain.", examples: [1] }),
    explorer: z
      .string()
      .nullable()
      .meta({
        description:
          "The address of a block explorer of the chain. A transaction is below `/tx/`. Null: none is known.",
        examples: ["https://etherscan.io"],
      }),
    native_asset: z
      .string()
      .nullable()
      .meta({
        description: "The code of the chain's own coin. Null: the coin is not watched.",
        examples: ["ETH"],
      }),
    assets: assetCodes,
    position: height.meta({
      description: "The newest block that is recorded, with all blocks before it. Null: none is.",
    }),
    head: height,
    confirmed: height,
    lag_seconds: count.nullable(),
    stopped: z.boolean().meta({
      description:
        "True: the chain is stopped. Nothing new is recorded until the operator mends the cause.",
    }),
    held: z.boolean().meta({
      description:
        "True: a movement waits for the agreement of further endpoints. It is confirmed after they agree.",
    }),
    required_confirmations: count.nullable(),
  })
  .meta({ id: "Chain" });

export function chainsRoutes(web: Web, deps: ChainsDeps): void {
  const schema = {
    tags: ["Chains"],
    summary: "How far the chains are that are watched",
    ...answersWithData(z.array(shown)),
  };
  web.get("/chains", { schema }, async () => {
    const chains = await deps.readChainHeights(deps.clock.now());
    return dataBody(chains.map((chain) => present(chain, deps)));
  });
}

function present(chain: ChainHeights, deps: ChainsDeps): z.output<typeof shown> {
  const { name, lagSeconds } = chain;
  const chainId = Number(chain.chainId);
  return {
    name,
    chain_id: chainId,
    explorer: profileOf(chainId).explorer,
    native_asset: chain.nativeAsset,
    assets: chain.assetCodes,
    position: heightOf(chain.position),
    head: heightOf(chain.head),
    confirmed: heightOf(chain.confirmed),
    lag_seconds: lagSeconds,

    stopped: chain.isStopped,
    held: chain.isHeld,
    required_confirmations: deps.requiredConfirmations(name),
  };
}
