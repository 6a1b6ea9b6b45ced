import type { RpcObject } from "../../../src/chain/rpc/rpc-value.ts";
import type { Hash } from "../../../src/domain/chain/block.ts";

/** What a header has since a fork; `tomorrow` is one that no version of Chainbell knows. */
export const eras = ["shanghai", "cancun", "prague", "amsterdam", "tomorrow"] as const;

export type Era = (typeof eras)[number];

/** From a height on, on every branch. */
export type Fork = { at: number; era: Era };

export function eraAt(forks: readonly Fork[], number: bigint): Era {
  return forks.findLast(({ at }) => BigInt(at) <= number)?.era ?? "shanghai";
}

/** The fields that came after Shanghai; what no one here looks into stands for anything. */
export function fieldsOf(
  era: Era,
  of: { number: bigint; any: Hash; accessListHash: Hash },
): RpcObject {
  const place = eras.indexOf(era);
  const { number, any, accessListHash } = of;
  const slot = `0x${number.toString(16)}`;
  return {
    ...(place >= 1 ? { blobGasUsed: "0x0", excessBlobGas: "0x0", parentBeaconBlockRoot: any } : {}),
    ...(place >= 2 ? { requestsHash: any } : {}),
    ...(place >= 3 ? { blockAccessListHash: accessListHash, slotNumber: slot } : {}),
    ...(place >= 4 ? { accountTreeRoot: any } : {}),
  };
}

/** Whether moves of the coin show as logs (EIP-7708), and blocks have access lists (EIP-7928). */
export function logsCoin(era: Era): boolean {
  return eras.indexOf(era) >= eras.indexOf("amsterdam");
}
