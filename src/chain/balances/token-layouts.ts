import type { Address } from "../../domain/chain/address.ts";
import type { Hash } from "../../domain/chain/block.ts";
import type { TokenLayout } from "../../domain/evidence/attestation.ts";
import { toBytes } from "../proof/encoding/fields.ts";
import type { Keccak } from "../proof/hashing/keccak.ts";

/** The slot of balances in OpenZeppelin's upgradeable ERC-20 since 5.0, by ERC-7201. */
const openzeppelinPlace = "52c63247e1f47db19d5ce0460030c497f067ca4cebf71ba98eeadabe20bace00";

/** The seed of Solady's ERC-20, which is hashed with the owner. */
const soladySeed = "000000000000000087a211a2";

/**
 * The usual places of the balances' mapping. It is first among the token's own variables, or after
 * those of contracts that it inherits from.
 */
const solidityPlaces = [...Array.from({ length: 16 }, (_, place) => place), 51, 52, 101, 102, 151];
const vyperPlaces = Array.from({ length: 8 }, (_, place) => place);

const layout = (kind: TokenLayout["kind"], hex: string): TokenLayout => ({
  kind,
  place: `0x${hex}`,
});

/** Every layout that is tried for a token, the usual ones first. */
export const knownLayouts: readonly TokenLayout[] = [
  ...solidityPlaces.map((place) => layout("solidity", wordOf(place.toString(16)))),
  layout("solidity", openzeppelinPlace),
  layout("solady", soladySeed),
  ...vyperPlaces.map((place) => layout("vyper", wordOf(place.toString(16)))),
];

/** The storage slot of a token with the balance of an owner. */
export function slotOf(keccak: Keccak, { kind, place }: TokenLayout, owner: Address): Hash {
  const [key, at] = [wordOf(owner.slice(2)), place.slice(2)];
  switch (kind) {
    case "solidity":
      return hashOf(keccak, key + at);
    case "vyper":
      return hashOf(keccak, at + key);
    case "solady":
      return hashOf(keccak, owner.slice(2) + at);
  }
}

function wordOf(hex: string): string {
  return hex.padStart(64, "0");
}

function hashOf(keccak: Keccak, hex: string): Hash {
  return `0x${Buffer.from(keccak(toBytes(`0x${hex}`))).toString("hex")}`;
}
