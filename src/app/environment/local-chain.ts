import { parseAddress } from "../../domain/chain/address.ts";
import { Fault } from "../../domain/fault.ts";
import { nativeAddress } from "../../domain/money/movement.ts";
import type { LocalAsset, LocalChain } from "../../operator/local/local-chain.ts";
import type { OpenLedger } from "./open-ledger.ts";

/** The account that pays if none is named. The business of development mode has another one. */
const payerIndex = 0;

/** The local chain of development mode, for verbs that transfer and mine by hand. */
export function createOpenLocalChain({
  config,
  localChain,
}: Pick<OpenLedger, "config" | "localChain">): () => Promise<LocalChain> {
  return async () => {
    if (localChain === null) throw noLocalChain(config);
    const chain = config.chains.find(({ name }) => name === localChain);
    const [rpcUrl] = chain?.rpcUrls ?? [];
    // Loaded only here: a production installation leaves the development dependencies out.
    const { readDemoContent } = await import("../../development/demo-content.ts");
    const demo = await readDemoContent(config.dataDir);
    if (chain === undefined || rpcUrl === undefined || demo === null)
      throw new Fault(
        "local_chain_failed",
        `Development mode does not run in ${config.dataDir}: start it first.`,
      );
    const { pay, replaceBlocks } = await import("../../development/chain/payments.ts");
    const { localAccount } = await import("../../development/chain/demo-token.ts");
    const coin = chain.nativeAsset === null ? [] : [chain.nativeAsset];
    const assets = [...coin, ...chain.assets].map(
      ({ code, decimals, address }): LocalAsset => ({
        code,
        decimals,
        token: address === nativeAddress ? null : address,
      }),
    );
    const payer = parseAddress(localAccount(payerIndex));
    return {
      name: chain.name,
      assets,
      payer,
      wallet: parseAddress(demo.wallet),
      pay: ({ asset, ...payment }) => pay({ rpcUrl, payer }, { ...payment, token: asset.token }),
      reorg: (depth) => replaceBlocks({ rpcUrl }, depth),
    };
  };
}

/** Reads which business the verbs of development mode use if none is named. */
export function createReadDemoBusiness({
  config,
  localChain,
}: Pick<OpenLedger, "config" | "localChain">): () => Promise<string | null> {
  return async () => {
    if (localChain === null) return null;
    const { readDemoContent } = await import("../../development/demo-content.ts");
    return (await readDemoContent(config.dataDir))?.businessId ?? null;
  };
}

/** The fault says which installation was asked, and how to ask the one of development mode. */
function noLocalChain({ mode }: OpenLedger["config"]): Fault {
  return new Fault(
    "invalid_request",
    mode === "production"
      ? "This command needs the local chain of development mode, and this is production. Leave out DATABASE_URL and NODE_ENV=production."
      : "Development mode runs no local chain: the configuration file has a chain named anvil or with the id 31337. Pay on your own chain, or take that chain out of the file.",
  );
}
