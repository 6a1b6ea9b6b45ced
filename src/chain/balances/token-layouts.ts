import type { Address } from "../../domain/chain/address.ts";
import type { Hash } from "../../domain/chain/block.ts";
import { toBytes } from "../proof/encoding/fields.ts";
import type { Keccak } from "../proof/hashing/keccak.ts";

/** Where a token keeps the balance of an account: the slot in its storage. */
export type TokenLayout = (keccak: Keccak, owner: Address) => Hash;

/** OpenZeppelin's ERC-20 since 5.0, for contracts that can be upgraded: its place by ERC-7201. */
const openzeppelinPlace = "52c63247e1f47db19d5ce0460030c497f067ca4cebf71ba98eeadabe20bace00";

/** Solady's ERC-20: the last bytes that are hashed with the owner. */
const soladySeed = "000000000000000087a211a2";

const word = (hex: string) => hex.padStart(64, "0");

/** `mapping(address => uint256)` of Solidity at that place. */
const solidity =
  (place: string): TokenLayout =>
  (keccak, owner) =>
    hashOf(keccak, word(owner.slice(2)) + word(place));

/** `HashMap[address, uint256]` of Vyper. */
const vyper =
  (place: string): TokenLayout =>
  (keccak, owner) =>
    hashOf(keccak, word(place) + word(owner.slice(2)));

const solady: TokenLayout = (keccak, owner) => hashOf(keccak, owner.slice(2) + soladySeed);

/** Where tokens usually have the mapping: first among their own variables, or after those of contracts they build on. */
const solidityPlaces = [...Array.from({ length: 16 }, (_, place) => place), 51, 52, 101, 102, 151];
const vyperPlaces = Array.from({ length: 8 }, (_, place) => place);

/** Every layout that is tried for a token, the usual ones first. */
export const knownLayouts: readonly TokenLayout[] = [
  ...solidityPlaces.map((place) => solidity(place.toString(16))),
  solidity(openzeppelinPlace),
  solady,
  ...vyperPlaces.map((place) => vyper(place.toString(16))),
];

function hashOf(keccak: Keccak, hex: string): Hash {
  return `0x${Buffer.from(keccak(toBytes(`0x${hex}`))).toString("hex")}`;
}
