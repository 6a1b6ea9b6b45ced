import { randomBytes } from "node:crypto";
import type { Address } from "../chain/address.ts";
import { readAddress, readId, writeAddress, writeId } from "./hex-words.ts";
import type { WatchedWallet, WatchedWallets } from "./watchlist.ts";

const addressWords = 5;
const idWords = 4;
const addressLength = 42;

/** At least this many slots for each wallet. With so many, a look-up rarely meets a taken slot. */
const slotsPerWallet = 1.5;

/**
 * Full columns grow by this factor. If they doubled, half of them would be empty after a million
 * and one wallets.
 */
const growth = 1.25;

const firstSlots = 256;

/**
 * The filter's bits for each slot. Few of them are set, so the look-up of nearly every unwatched
 * address ends there.
 */
const filterBitsPerSlot = 8;
const firstWallets = 64;

/** The columns of the table. A wallet's values have the same index in each column. */
type Columns = {
  addresses: Uint32Array;
  ids: Uint32Array;
  /** An index of `businessIds`. */
  owners: Uint32Array;
  sinces: BigInt64Array;
  isPayment: Uint8Array;
};

type Table = {
  columns: Columns;
  count: number;
  /** The index of the slot's wallet plus one; 0: the slot is free. */
  slots: Uint32Array;
  /**
   * One bit for each hash. If it is not set, no address with that hash was ever added. The filter
   * takes one or two bytes for each wallet, so it stays in the processor's cache. Most addresses of
   * a block are not watched, and the filter answers for them without a look into memory.
   */
  filter: Uint32Array;
  businesses: Map<string, number>;
  businessIds: string[];
  /**
   * The seed of the hashes. It is random, so that nobody can choose addresses with the same slot.
   */
  seed: number;
};

/**
 * The watched wallets by address, as an open-addressing hash table in typed arrays. A million
 * wallets take less memory than a Set of their addresses, and far less than a Map of objects. The
 * garbage collector need not walk through them. Use it like a Map. Ids must be UUIDs.
 */
export function createWalletTable(): WatchedWallets {
  const table: Table = {
    columns: emptyColumns(firstWallets),
    count: 0,
    slots: new Uint32Array(firstSlots),
    filter: emptyFilter(firstSlots),
    businesses: new Map(),
    businessIds: [],
    seed: randomBytes(4).readUInt32BE(),
  };
  /** The address of the present look-up. */
  const key = new Uint32Array(addressWords);
  const placeOf = (address: Address): number => {
    if (address.length !== addressLength) return -1;
    writeAddress(address, key, 0);
    const hash = hashOf(key, 0, table.seed);
    return isRuledOut(table.filter, hash) ? -1 : (table.slots[findSlot(table, key, hash)] ?? 0) - 1;
  };
  return {
    get size() {
      return table.count;
    },
    has: (address) => placeOf(address) !== -1,
    get(address) {
      const place = placeOf(address);
      return place === -1 ? undefined : readWallet(table, place, address);
    },
    set(address, wallet) {
      const place = placeOf(address);
      if (place === -1) add(table, key, wallet);
      else writeWallet(table, place, wallet);
    },
    delete(address) {
      const place = placeOf(address);
      if (place !== -1) remove(table, place, key);
    },
    *values() {
      for (let place = 0; place < table.count; place += 1) {
        const address = readAddress(table.columns.addresses, place * addressWords);
        yield readWallet(table, place, address);
      }
    },
  };
}

function emptyColumns(size: number): Columns {
  return {
    addresses: new Uint32Array(size * addressWords),
    ids: new Uint32Array(size * idWords),
    owners: new Uint32Array(size),
    sinces: new BigInt64Array(size),
    isPayment: new Uint8Array(size),
  };
}

function add(table: Table, key: Uint32Array, wallet: WatchedWallet): void {
  if (table.count === table.columns.owners.length) grow(table);
  if ((table.count + 1) * slotsPerWallet > table.slots.length) rehash(table);
  const place = table.count;
  table.columns.addresses.set(key, place * addressWords);
  writeWallet(table, place, wallet);
  const hash = hashOf(key, 0, table.seed);
  table.slots[findSlot(table, key, hash)] = place + 1;
  mark(table.filter, hash);
  table.count += 1;
}

/** Removes a wallet. The last wallet takes its index, so that there is no gap. */
function remove(table: Table, place: number, key: Uint32Array): void {
  const { columns, slots, seed } = table;
  const { addresses, ids, owners, sinces, isPayment } = columns;
  free(table, findSlot(table, key, hashOf(key, 0, seed)));
  table.count -= 1;
  const last = table.count;
  if (place === last) return;
  const lastKey = addresses.slice(last * addressWords, (last + 1) * addressWords);
  slots[findSlot(table, lastKey, hashOf(lastKey, 0, seed))] = place + 1;
  addresses.set(lastKey, place * addressWords);
  ids.copyWithin(place * idWords, last * idWords, (last + 1) * idWords);
  owners.copyWithin(place, last, last + 1);
  sinces.copyWithin(place, last, last + 1);
  isPayment.copyWithin(place, last, last + 1);
}

function emptyFilter(slots: number): Uint32Array {
  return new Uint32Array((slots * filterBitsPerSlot) / 32);
}

function isRuledOut(filter: Uint32Array, hash: number): boolean {
  const bit = hash & (filter.length * 32 - 1);
  return ((filter[bit >>> 5] ?? 0) & (1 << (bit & 31))) === 0;
}

function mark(filter: Uint32Array, hash: number): void {
  const bit = hash & (filter.length * 32 - 1);
  filter[bit >>> 5] = (filter[bit >>> 5] ?? 0) | (1 << (bit & 31));
}

/** The slot of the wallet with that address and hash, else the free slot where it belongs. */
function findSlot({ slots, columns }: Table, key: Uint32Array, hash: number): number {
  const mask = slots.length - 1;
  for (let slot = hash & mask; ; slot = (slot + 1) & mask) {
    const named = slots[slot] ?? 0;
    if (named === 0 || isSame(columns.addresses, (named - 1) * addressWords, key)) return slot;
  }
}

function isSame(addresses: Uint32Array, at: number, key: Uint32Array): boolean {
  for (let word = 0; word < addressWords; word += 1) {
    if (addresses[at + word] !== key[word]) return false;
  }
  return true;
}

/** Mixes each word into all bits (Fibonacci hashing). */
function hashOf(words: Uint32Array, at: number, seed: number): number {
  let hash = seed;
  for (let word = 0; word < addressWords; word += 1) {
    hash = Math.imul(hash ^ (words[at + word] ?? 0), 0x9e3779b1);
    hash ^= hash >>> 15;
  }
  return hash;
}

/**
 * Frees a slot. Entries after it that it had displaced move up, so that look-ups still reach them.
 */
function free({ slots, columns, seed }: Table, slot: number): void {
  const mask = slots.length - 1;
  let hole = slot;
  slots[hole] = 0;
  for (let at = (hole + 1) & mask; ; at = (at + 1) & mask) {
    const named = slots[at] ?? 0;
    if (named === 0) return;
    const home = hashOf(columns.addresses, (named - 1) * addressWords, seed) & mask;
    const isBehindHole = ((at - home) & mask) < ((at - hole) & mask);
    if (isBehindHole) continue;
    slots[hole] = named;
    slots[at] = 0;
    hole = at;
  }
}

function grow(table: Table): void {
  const { addresses, ids, owners, sinces, isPayment } = table.columns;
  const columns = emptyColumns(Math.ceil(owners.length * growth));
  columns.addresses.set(addresses);
  columns.ids.set(ids);
  columns.owners.set(owners);
  columns.sinces.set(sinces);
  columns.isPayment.set(isPayment);
  table.columns = columns;
}

function rehash(table: Table): void {
  const { columns, count, seed } = table;
  const slots = new Uint32Array(table.slots.length * 2);
  const filter = emptyFilter(slots.length);
  const mask = slots.length - 1;
  for (let place = 0; place < count; place += 1) {
    const hash = hashOf(columns.addresses, place * addressWords, seed);
    mark(filter, hash);
    let slot = hash & mask;
    while (slots[slot] !== 0) slot = (slot + 1) & mask;
    slots[slot] = place + 1;
  }
  table.slots = slots;
  table.filter = filter;
}

function writeWallet(table: Table, place: number, wallet: WatchedWallet): void {
  const { ids, owners, sinces, isPayment } = table.columns;
  writeId(wallet.id, ids, place * idWords);
  owners[place] = ownerOf(table, wallet.businessId);
  sinces[place] = wallet.since;
  isPayment[place] = wallet.purpose === "payment" ? 1 : 0;
}

function ownerOf({ businesses, businessIds }: Table, businessId: string): number {
  const known = businesses.get(businessId);
  if (known !== undefined) return known;
  businesses.set(businessId, businessIds.length);
  return businessIds.push(businessId) - 1;
}

/**
 * Reads a wallet. The caller passes `address`, because making its text again costs more than the
 * look-up.
 */
function readWallet(
  { columns, businessIds }: Table,
  place: number,
  address: Address,
): WatchedWallet {
  return {
    id: readId(columns.ids, place * idWords),
    businessId: businessIds[columns.owners[place] ?? 0] ?? "",
    address,
    purpose: columns.isPayment[place] === 1 ? "payment" : "deposit",
    since: columns.sinces[place] ?? 0n,
  };
}
