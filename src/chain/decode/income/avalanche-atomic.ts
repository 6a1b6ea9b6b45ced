import { createHash } from "node:crypto";
import type { Address } from "../../../domain/chain/address.ts";
import { zeroAddress } from "../../../domain/chain/address.ts";
import type { Hash } from "../../../domain/chain/block.ts";
import type { Movement } from "../../../domain/money/movement.ts";
import { refusedBlock } from "../../proof/refuse-block.ts";
import type { RpcBlock } from "../../rpc/rpc-block.ts";
import { readData } from "../../rpc/rpc-value.ts";
import { coinTransfer, income } from "./movement-makers.ts";

// Atomic transactions of Avalanche's C-Chain (ava-labs/avalanchego,
// graft/coreth/plugin/evm/atomic): coin that comes from another chain of Avalanche or goes there.
// No EVM transaction shows them; the header's extDataHash covers them.

/** Amounts are in units of 10^-9 of the coin, which has 18 decimals. */
const weiPerNano = 10n ** 9n;

const addressBytes = 20;
const idBytes = 32;
const signatureBytes = 65;

type AtomicMove = { kind: "import" | "export"; address: Address; nano: bigint; assetId: string };

type AtomicTransaction = { id: Hash; moves: AtomicMove[] };

/**
 * The coin that a block's atomic transactions brought (an income) or took away (a transfer to
 * nobody). `coinId` is the coin's id among Avalanche's chains. Other assets are ignored: since
 * Banff none can move.
 * @throws Fault `rpc_inconsistent` if the block's extra data is malformed
 */
export function atomicMoves(
  block: Pick<RpcBlock, "raw" | "number" | "hash">,
  coinId: string,
): Movement[] {
  const extra = block.raw["blockExtraData"];
  if (extra === undefined || extra === null || extra === "0x") return [];
  const bytes = Buffer.from(readData(extra, "blockExtraData").slice(2), "hex");
  return readBatch(block, bytes).flatMap(({ id, moves }) =>
    oncePerImporter(moves.filter(({ assetId }) => assetId === coinId)).map(
      ({ kind, address, nano }) => {
        const amountAtomic = nano * weiPerNano;
        const out = { from: address, to: zeroAddress, tracePath: null, logIndex: null };
        return kind === "import"
          ? income(id, { to: address, amountAtomic }, { kind: "mint" })
          : coinTransfer(id, { ...out, amountAtomic });
      },
    ),
  );
}

/**
 * The same moves, with one import for each address. Before Apricot Phase 2 a transaction could
 * bring an address coin more than once.
 */
function oncePerImporter(moves: readonly AtomicMove[]): AtomicMove[] {
  const imported = new Map<Address, AtomicMove>();
  for (const move of moves) {
    if (move.kind === "export") continue;
    const nano = move.nano + (imported.get(move.address)?.nano ?? 0n);
    imported.set(move.address, { ...move, nano });
  }
  return [...imported.values(), ...moves.filter(({ kind }) => kind === "export")];
}

/**
 * Since Apricot Phase 5 the data is a list of transactions, and before it was a single one. Only
 * the right reader reaches the end of the data.
 */
function readBatch(block: Pick<RpcBlock, "number" | "hash">, bytes: Buffer): AtomicTransaction[] {
  const readers = [
    (reader: Reader) =>
      Array.from({ length: reader.number() }, () => readTransaction(reader, bytes)),
    (reader: Reader) => [readTransaction(reader, bytes)],
  ];
  for (const read of readers) {
    const reader = createReader(bytes);
    try {
      // The codec's version.
      reader.take(2);
      const transactions = read(reader);
      if (reader.isAtEnd()) return transactions;
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
    }
  }
  throw refusedBlock(block, "its atomic transactions cannot be read");
}

type Reader = ReturnType<typeof createReader>;

/**
 * Reads the format of avalanchego's codec: big-endian numbers, and lists that begin with their
 * length.
 */
function createReader(bytes: Buffer) {
  let at = 0;
  const take = (length: number): Buffer => {
    if (at + length > bytes.length) throw new RangeError("too short");
    at += length;
    return bytes.subarray(at - length, at);
  };
  const number = () => take(4).readUInt32BE();
  return {
    take,
    number,
    long: () => take(8).readBigUInt64BE(),
    hex: (length: number) => take(length).toString("hex"),
    each: <T>(read: () => T): T[] => {
      const length = number();
      // An impossible length is a sign of another format. It must not cost memory.
      if (length > bytes.length) throw new RangeError("too long");
      return Array.from({ length }, read);
    },
    at: () => at,
    isAtEnd: () => at === bytes.length,
  };
}

function readTransaction(reader: Reader, bytes: Buffer): AtomicTransaction {
  const start = reader.at();
  const kind = reader.number();
  // The network, this chain, and the other chain.
  reader.take(4 + 2 * idBytes);
  if (kind > 1) throw new RangeError("unknown kind");
  const moves = kind === 0 ? readImport(reader) : readExport(reader);
  // Signatures.
  reader.each(() => {
    reader.number();
    reader.each(() => reader.take(signatureBytes));
  });
  const version = Buffer.alloc(2);
  const own = Buffer.concat([version, bytes.subarray(start, reader.at())]);
  return { id: `0x${createHash("sha256").update(own).digest("hex")}`, moves };
}

function readImport(reader: Reader): AtomicMove[] {
  reader.each(() => {
    // An input: a transaction, an index, an asset, a kind, an amount, and the signers.
    reader.take(idBytes + 4 + idBytes + 4 + 8);
    reader.each(() => reader.number());
  });
  return reader.each(() => ({ kind: "import", ...readParty(reader) }));
}

function readExport(reader: Reader): AtomicMove[] {
  const moves = reader.each((): AtomicMove => {
    const party = readParty(reader);
    // Its nonce.
    reader.long();
    return { kind: "export", ...party };
  });
  reader.each(() => {
    // An output: an asset, a kind, an amount, the time when it unlocks, how many must sign, and the
    // signers.
    reader.take(idBytes + 4 + 8 + 8 + 4);
    reader.each(() => reader.take(addressBytes));
  });
  return moves;
}

function readParty(reader: Reader) {
  const address: Address = `0x${reader.hex(addressBytes)}`;
  return { address, nano: reader.long(), assetId: reader.hex(idBytes) };
}
