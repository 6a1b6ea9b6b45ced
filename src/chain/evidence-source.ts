import type { Address } from "../domain/chain/address.ts";
import type { AttestedBlock, EvidenceSource } from "../domain/evidence/attestation.ts";
import { Fault } from "../domain/fault.ts";
import type { Clock } from "../runtime/clock.ts";
import type { Logger } from "../runtime/logger.ts";
import { attestAccount, attestToken } from "./balances/attest-state.ts";
import { askBlock } from "./blocks/asking/load-block.ts";
import { type ChainSourceOptions, openEndpoints } from "./chain-source.ts";
import { requireChain } from "./endpoints/chain-id.ts";
import type { Endpoint } from "./endpoints/endpoint.ts";
import { createEndpointPool } from "./endpoints/endpoint-pool.ts";
import { encodeHeader } from "./proof/encoding/header.ts";
import { headerHashes } from "./proof/hashing/header-hash.ts";
import { type Keccak, loadKeccak256 } from "./proof/hashing/keccak.ts";
import { parseHeader } from "./rpc/rpc-block.ts";
import { readHash, readObject, toQuantity } from "./rpc/rpc-value.ts";

/** One chain for an attestation, over endpoints that only the attestation uses. */
export async function createEvidenceSource(
  ports: { clock: Clock; log: Logger },
  options: ChainSourceOptions,
): Promise<EvidenceSource> {
  const pool = createEndpointPool(openEndpoints(options, ports), { ...ports, ...options });
  const keccak = await loadKeccak256();
  const ask = <T>(work: (endpoint: Endpoint) => Promise<T>) =>
    pool.first(work, (one) => requireChain(one, options.chainId));
  return {
    readBlock: (number) => ask((one) => readBlock(one, { keccak, number, options })),
    proveAccount: (block, address: Address) =>
      ask((one) => attestAccount(one, keccak, { block, address })),
    proveToken: (block, token, owners) =>
      ask((one) => attestToken(one, keccak, { block, token, owners })),
    close: () => pool.close(),
  };
}

async function readBlock(
  endpoint: Endpoint,
  asked: { keccak: Keccak; number: bigint; options: ChainSourceOptions },
): Promise<AttestedBlock> {
  const { keccak, number, options } = asked;
  const raw = readObject(await askBlock(endpoint, toQuantity(number), false), "block");
  const header = parseHeader(raw);
  const { hash, timeMs } = header;
  if (header.number !== number)
    throw new Fault("rpc_inconsistent", `Endpoint ${endpoint.name} has no block ${number}.`);
  const encoding = options.profile.header;
  const bytes = encodeHeader(encoding, raw);
  if (bytes === null || !headerHashes(keccak, encoding, { raw, hash }))
    return { number, hash, timeMs, header: null };
  const stateRoot = readHash(raw["stateRoot"], "stateRoot");
  return { number, hash, timeMs, header: { rlp: toHex(bytes), stateRoot } };
}

function toHex(bytes: Uint8Array): `0x${string}` {
  return `0x${Buffer.from(bytes).toString("hex")}`;
}
