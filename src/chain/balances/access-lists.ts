import type { Address } from "../../domain/chain/address.ts";
import type { Hash } from "../../domain/chain/block.ts";
import { Fault, faultIn } from "../../domain/fault.ts";
import type { Pool, Verify } from "../agreement/agree-on-balances.ts";
import { type Endpoint, failureKindIn } from "../endpoints/endpoint.ts";
import { accessListItem } from "../proof/encoding/access-list.ts";
import { encodeRlp } from "../proof/encoding/rlp.ts";
import { loadKeccak256 } from "../proof/hashing/keccak.ts";
import {
  type RpcObject,
  readAddress,
  readList,
  readObject,
  readQuantity,
} from "../rpc/rpc-value.ts";
import { firstProved } from "./first-proved.ts";
import { hasProvenState, type ProvenHeaders, type StateRules } from "./proven-headers.ts";

/**
 * The standard method takes a height, a tag or a hash (ethereum/execution-apis#726). Some nodes
 * have the other one instead.
 */
const accessListMethods = ["eth_getBlockAccessList", "eth_getBlockAccessListByBlockHash"] as const;

/**
 * Reads the access lists of blocks (EIP-7928). For each account that a block changed, a list has
 * its state after each place of the block. A list is proved by the hash in the block's own header,
 * so any endpoint may give it.
 */
export function createAccessLists(
  { pool, verify, headers }: { pool: Pool; verify: Verify; headers: ProvenHeaders },
  rules: StateRules,
) {
  /** Null: the block has no list. An endpoint without the list is passed over. */
  async function readOn(endpoint: Endpoint, blockHash: Hash): Promise<RpcObject[] | null> {
    const keccak = await loadKeccak256();
    const { accessListHash } = await headers.of(endpoint, blockHash, keccak);
    if (accessListHash === null) return null;
    const list = await askList(endpoint, blockHash);
    const hash = Buffer.from(keccak(encodeRlp(accessListItem(list)))).toString("hex");
    if (`0x${hash}` === accessListHash) return list;
    throw new Fault(
      "rpc_inconsistent",
      `The access list that endpoint ${endpoint.name} has for block ${blockHash} does not have the hash in its header.`,
    );
  }

  return {
    /**
     * True if the block has a list, by a header with the block's hash. False if headers are not
     * proved, or this one cannot be.
     * @throws Fault `rpc_unavailable`; `state_unavailable` if no endpoint has the header
     */
    async hasList(blockHash: Hash): Promise<boolean> {
      if (!rules.proof.header) return false;
      const keccak = await loadKeccak256();
      try {
        const header = await pool.first((one) => headers.of(one, blockHash, keccak), verify);
        return header.accessListHash !== null;
      } catch (error) {
        // The header is of a fork that this version does not know. Its blocks can only be agreed
        // on.
        if (faultIn(error)?.code === "rpc_inconsistent") return false;
        throw error;
      }
    },

    /**
     * The coin of each account after each place of a block that changed it, in order. An account
     * whose balance the block does not change has no entries. Null: the block has no list, or no
     * endpoint gives the one with the hash.
     */
    async balancesIn(blockHash: Hash, accounts: readonly Address[]): Promise<bigint[][] | null> {
      if (!hasProvenState(rules)) return null;
      const list = await firstProved({ pool, verify }, accessListMethods, (endpoint) =>
        readOn(endpoint, blockHash),
      );
      return list === null ? null : balancesOf(list, accounts);
    },
  };
}

function balancesOf(list: readonly RpcObject[], accounts: readonly Address[]): bigint[][] {
  const wanted = new Set(accounts);
  const changes = new Map<Address, bigint[]>();
  for (const account of list) {
    const address = readAddress(account["address"], "address");
    if (!wanted.has(address)) continue;
    const balances = readList(account["balanceChanges"], "balanceChanges").map((change) =>
      readQuantity(readObject(change, "balance change")["value"], "balance"),
    );
    changes.set(address, balances);
  }
  return accounts.map((account) => changes.get(account) ?? []);
}

/**
 * @throws Fault `state_unavailable` if the endpoint does not have the list (any more);
 *   `rpc_unavailable`
 */
async function askList(endpoint: Endpoint, blockHash: Hash): Promise<RpcObject[]> {
  const what = `access list of block ${blockHash}`;
  for (const method of accessListMethods.filter(endpoint.offers)) {
    try {
      const answer = await endpoint.ask(what, { method, params: [blockHash] });
      if (answer === null || answer === undefined) throw gone(endpoint, what);
      return readList(answer, "access list").map((account) => readObject(account, "account"));
    } catch (error) {
      const kind = failureKindIn(error);
      if (kind === "refused") throw gone(endpoint, what, error);
      if (kind !== "unsupported") throw error;
    }
  }
  throw gone(endpoint, what);
}

function gone({ name }: Endpoint, what: string, cause?: unknown): Fault {
  return new Fault("state_unavailable", `Endpoint ${name} does not have the ${what}.`, { cause });
}
