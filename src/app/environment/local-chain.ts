import { parseAddress } from "../../domain/chain/address.ts";
import { Fault } from "../../domain/fault.ts";
import { nativeAddress } from "../../domain/money/movement.ts";
import type { LocalAsset, LocalChain } from "../../operator/local/local-chain.ts";
import type { OpenLedger } from "./open-ledger.ts";

/** The account that pays where none is named: the business of development mode has another one. */
const payerIndex = 0;

/** The local chain of development mode, for who works with it by hand. */
export function createOpenLocalChain({
  config,
  isLocalChain,
}: Pick<OpenLedger, "config" | "isLocalChain">): () => Promise<LocalChain> {
  return async () => {
    const [chain] = config.chains;
    if (!isLocalChain || chain === undefined)
      throw new Fault(
        "invalid_request",
        "This needs the local chain of development mode: start without a configuration file.",
      );
    const [rpcUrl] = chain.rpcUrls;
    if (rpcUrl === undefined)
      throw new Fault("local_chain_failed", "Development mode does not run: start it first.");
    // Loaded only here: a production installation leaves the development dependencies out.
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
      pay: ({ asset, ...payment }) => pay({ rpcUrl, payer }, { ...payment, token: asset.token }),
      reorg: (depth) => replaceBlocks({ rpcUrl }, depth),
    };
  };
}
