import { createMerkleProof, createMPT } from "@ethereumjs/mpt";
import { RLP } from "@ethereumjs/rlp";
import { keccak256 } from "viem/utils";
import { hex, type Json, number, quantity } from "./seal-block.ts";

type Account = { nonce: number; balance: bigint };

const [noCode, noStorage] = [keccak256(new Uint8Array(0)), keccak256(Uint8Array.of(0x80))];
const nothing: Account = { nonce: 0, balance: 0n };
const keyOf = (address: string) => Buffer.from(address.slice(2), "hex");

/**
 * The accounts of a chain under their state root, and what each place of the newest block has made
 * of them.
 */
export async function createAccountState() {
  const trie = await createMPT({ useKeyHashing: true });
  const accounts = new Map<string, Account>();
  /** Of the newest block: what an account had before, and after each place that wrote it. */
  let written = new Map<string, { before: Account; after: Map<number, Account> }>();

  return {
    root: (): Uint8Array => trie.root(),

    of: (address: string): Account => accounts.get(address) ?? nothing,

    beginBlock(): void {
      written = new Map();
    },

    /** `place`: 0 before the transactions, which are 1 to n. */
    async add(place: number, address: string, amount: bigint, isSent = false): Promise<void> {
      const before = accounts.get(address) ?? nothing;
      const after = { nonce: before.nonce + (isSent ? 1 : 0), balance: before.balance + amount };
      accounts.set(address, after);
      const entry = written.get(address) ?? { before, after: new Map<number, Account>() };
      entry.after.set(place, after);
      written.set(address, entry);
      const item = [number(after.nonce), number(after.balance), noStorage, noCode];
      await trie.put(keyOf(address), RLP.encode(item));
    },

    /** The access list of the newest block (EIP-7928), as eth_getBlockAccessList answers it. */
    accessList(): Json[] {
      return [...written]
        .toSorted(([a], [b]) => (a < b ? -1 : 1))
        .map(([address, entry]) => {
          const changesOf = (worth: (account: Account) => bigint | number) => {
            let was = worth(entry.before);
            return [...entry.after].flatMap(([place, account]) => {
              const is = worth(account);
              if (is === was) return [];
              was = is;
              return [{ index: quantity(place), value: quantity(is) }];
            });
          };
          return {
            address,
            storageChanges: [],
            storageReads: [],
            codeChanges: [],
            balanceChanges: changesOf(({ balance }) => balance),
            nonceChanges: changesOf(({ nonce }) => nonce),
          };
        });
    },

    /** As eth_getProof answers it, at an older root too. */
    async prove(address: string, root: Uint8Array): Promise<Json> {
      const newest = trie.root();
      trie.root(root);
      const accountProof = (await createMerkleProof(trie, keyOf(address))).map(hex);
      trie.root(newest);
      return { address, accountProof, storageProof: [] };
    },
  };
}
