import { profileOf } from "../domain/chain/profiles/known-profiles.ts";
import { keysOf } from "../domain/keys-of.ts";
import { assetKinds, isNativeAlias } from "../domain/money/asset.ts";
import { type ConfigFault, pathText } from "./config-fault.ts";
import { rawAt, rawListAt, rawTextAt } from "./raw-values.ts";

/**
 * Finds values that must be unique: a chain's name and id, and within a chain an asset's code and
 * address. Uses the raw values, so that these faults are reported together with all others.
 */
export function duplicateFaults(values: unknown): ConfigFault[] {
  const chains = rawListAt(values, "chains");
  const among = (items: unknown[], key: string, path: PropertyKey[]) =>
    repeats(items.map((item) => rawTextAt(item, key))).map(
      ({ index, first }): ConfigFault => ({
        path: pathText([...path, index, key]),
        message: `the same as ${pathText([...path, first, key])}`,
        code: "same_as",
        values: { other: pathText([...path, first, key]) },
      }),
    );
  return [
    ...among(chains, "name", ["chains"]),
    ...among(chains, "chain_id", ["chains"]),
    ...chains.flatMap((chain, index) => {
      const assets = rawListAt(chain, "assets");
      const path = ["chains", index, "assets"];
      return [
        ...among(assets, "code", path),
        ...among(assets, "address", path),
        ...nativeCodeTaken(chain, assets, path),
        ...nativeCountedTwice(chain, assets, path),
      ];
    }),
  ];
}

function nativeCodeTaken(chain: unknown, assets: unknown[], path: PropertyKey[]): ConfigFault[] {
  const { coin } = profileOf(Number(rawTextAt(chain, "chain_id")));
  const native = rawTextAt(rawAt(chain, "native_asset"), "code") ?? coin?.code ?? undefined;
  return assets.flatMap((asset, index) =>
    native !== undefined && rawTextAt(asset, "code") === native && !isSaidAlias(asset)
      ? [
          {
            path: pathText([...path, index, "code"]),
            message: "the same as the chain's native_asset",
            code: "same_as",
            values: { other: "native_asset" },
          },
        ]
      : [],
  );
}

/** Finds a token that is the chain's own coin: its movements would count twice. */
function nativeCountedTwice(chain: unknown, assets: unknown[], path: PropertyKey[]): ConfigFault[] {
  const { nativeAliases } = profileOf(Number(rawTextAt(chain, "chain_id")));
  const addresses = new Set<string>(nativeAliases.map((alias) => alias.address));
  return assets.flatMap((asset, index) => {
    const isAlias = addresses.has(rawTextAt(asset, "address")?.toLowerCase() ?? "");
    if (!isAlias || isSaidAlias(asset)) return [];
    const message = `this contract is the chain's own coin seen as a token: remove it, or say kind ${aliasKinds.join(" or ")}`;
    return [{ path: pathText([...path, index]), message }];
  });
}

const aliasKinds: readonly string[] = keysOf(assetKinds).filter(isNativeAlias);

function isSaidAlias(asset: unknown): boolean {
  return aliasKinds.includes(rawTextAt(asset, "kind") ?? "");
}

/** Each repeated text, with the index of its first occurrence. Ignores case, as addresses do. */
function repeats(texts: (string | undefined)[]): { index: number; first: number }[] {
  const firsts = new Map<string, number>();
  return texts.flatMap((text, index) => {
    if (text === undefined) return [];
    const key = /^0x/i.test(text) ? text.toLowerCase() : text;
    const first = firsts.get(key);
    if (first !== undefined) return [{ index, first }];
    firsts.set(key, index);
    return [];
  });
}
