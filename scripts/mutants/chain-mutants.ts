import type { Mutant } from "./mutant.ts";

const movements = "test/integration/chain/movements.test.ts";
const verifyBlock = "test/unit/chain/proof/verify-block.test.ts";

/** Faults in what reads blocks. */
export const chainMutants: readonly Mutant[] = [
  {
    id: "erc721-counts",
    what: "an ERC-721 transfer counts as money",
    file: "src/chain/decode/decode-logs.ts",
    find: "if (log.topics.length !== 3 || !isWord(log.data)) return null;",
    replace:
      'if (log.topics.length === 4) return { kind: "transfer", asset: log.address, txHash: log.transactionHash, from: addressIn(from), to: addressIn(to), amountAtomic: BigInt(log.topics[3] ?? 0), logIndex, tracePath: null };\n  if (log.topics.length !== 3 || !isWord(log.data)) return null;',
    test: {
      file: verifyBlock,
      title: "passes over an ERC-721 transfer and over logs that are no transfer",
    },
    simulation: null,
  },
  {
    id: "failed-calls-count",
    what: "coin that a failed call would have moved counts",
    file: "src/chain/decode/call-tracer.ts",
    find: 'if (isThere(frame["error"])) continue;',
    replace: "",
    test: {
      file: movements,
      title: "counts nothing of a frame that failed or of what it had called",
    },
    simulation: 5,
  },
  {
    id: "delegatecall-counts",
    what: "the value that a DELEGATECALL shows counts",
    file: "src/chain/decode/call-tracer.ts",
    find: '"CREATE2", "SELFDESTRUCT"]',
    replace: '"CREATE2", "SELFDESTRUCT", "DELEGATECALL"]',
    test: { file: movements, title: "counts nothing for a DELEGATECALL" },
    simulation: 5,
  },
  {
    id: "failed-value-counts",
    what: "the value of a transaction that failed counts",
    file: "src/chain/decode/decode-block.ts",
    find: "if (receipt.isSuccess !== true || amountAtomic === 0n || to === null) return [];",
    replace: "if (amountAtomic === 0n || to === null) return [];",
    test: { file: verifyBlock, title: "and of a failed one only its fee" },
    simulation: 3,
  },
  {
    id: "other-fees",
    what: "blob gas and L1 fees are left out of the fee",
    file: "src/chain/decode/income/fees.ts",
    find: "const amountAtomic = gas + receipt.otherFees;",
    replace: "const amountAtomic = gas;",
    test: {
      file: verifyBlock,
      title: "adds gas, blob gas and the fees of an OP-stack chain up to one fee",
    },
    simulation: 4,
  },
  {
    id: "receipts-unproved",
    what: "receipts need not make up the header's root",
    file: "src/chain/proof/prove-block.ts",
    find: "if (toHex(indexedTrieRoot(keccak, receipts.map(encodeReceipt))) === root) return;",
    replace:
      "if (toHex(indexedTrieRoot(keccak, receipts.map(encodeReceipt))) !== root || root !== null) return;",
    test: {
      file: "test/integration/chain/faulty-node.test.ts",
      title: "is refused where a log has another amount",
    },
    simulation: null,
  },
];
