import type { Mutant } from "./mutant.ts";

const head = "test/integration/watcher/head";
const gate = "test/integration/watcher/gate";
const match = "test/unit/watcher/match-movements.test.ts";

/** Faults in what decides what is written. */
export const watcherMutants: readonly Mutant[] = [
  {
    id: "silence-agrees",
    what: "a second endpoint that says nothing counts as one that agrees",
    file: "src/watcher/gate/witness-gate.ts",
    find: '  const why = dispute !== null ? "disputed" : isTagLower ? "not_final" : "silent";\n',
    replace:
      '  const why = dispute !== null ? "disputed" : isTagLower ? "not_final" : "silent";\n  if (why === "silent") return { kind: "agreed", number };\n',
    test: {
      file: `${gate}/witness.test.ts`,
      title: "nothing is confirmed before it has been waited for",
    },
    simulation: null,
  },
  {
    id: "tag-hash",
    what: "the hash of the chain's tag is not compared",
    file: "src/watcher/gate/confirmable.ts",
    find: "if (stored !== tag.hash)",
    replace: "if (stored === null)",
    test: {
      file: `${gate}/witness.test.ts`,
      title:
        "of another hash than the stored block confirms nothing, where there is no other endpoint",
    },
    simulation: null,
  },
  {
    id: "no-balance-check",
    what: "movements of the coin are not compared with the balances",
    file: "src/watcher/prove-balances.ts",
    find: "if (assetId === undefined || !chain.seesEveryMove())",
    replace: "if (assetId === undefined || chain.seesEveryMove() !== null)",
    test: {
      file: `${head}/balance-check.test.ts`,
      title: "is not confirmed where a node invents it",
    },
    simulation: 58,
  },
  {
    id: "undo-unasked",
    what: "a reorg is undone although the other endpoint has the old block",
    file: "src/watcher/head/undo-reorg.ts",
    find: 'if (decision === "held")',
    replace: 'if (decision === "held" && lowest.number < 0n)',
    test: {
      file: `${gate}/reversal.test.ts`,
      title: "stays completed while the other endpoint has its block",
    },
    simulation: null,
  },
  {
    id: "one-too-soon",
    what: "a block is confirmed one block too soon",
    file: "src/domain/chain/confirmation.ts",
    find: "return position - BigInt(policy.depth) + 1n;",
    replace: "return position - BigInt(policy.depth) + 2n;",
    test: {
      file: "test/unit/domain/chain/confirmation.test.ts",
      title: "counts the block itself as the first confirmation",
    },
    simulation: null,
  },
  {
    id: "equal-transfers",
    what: "of equal transfers of one transaction only one is kept",
    file: "src/watcher/match-movements.ts",
    find: "seen.set(tuple, n + 1);",
    replace: "if (n > 0) return;\n    seen.set(tuple, n + 1);",
    test: {
      file: match,
      title: "gives equal transfers of one transaction identities of their own",
    },
    simulation: null,
  },
  {
    id: "one-side-only",
    what: "a transfer between two watched wallets counts for the sender alone",
    file: "src/watcher/match-movements.ts",
    find: "if (receiver !== undefined)",
    replace: "if (receiver !== undefined && sender === undefined)",
    test: {
      file: match,
      title: "makes one transaction for each side of a transfer between two wallets",
    },
    simulation: null,
  },
  {
    id: "wallet-too-early",
    what: "what happened in the block of a wallet's opening counts on top of it",
    file: "src/watcher/match-movements.ts",
    find: "wallet.since < block.header.number",
    replace: "wallet.since <= block.header.number",
    test: {
      file: match,
      title: "counts nothing at or below the block where the wallet or the asset began",
    },
    simulation: null,
  },
  {
    id: "zero-counts",
    what: "a transfer of nothing counts as a transaction",
    file: "src/watcher/match-movements.ts",
    find: "if (movement.amountAtomic === 0n) return;",
    replace: "if (movement.amountAtomic < 0n) return;",
    test: { file: match, title: "passes over zero amounts" },
    simulation: null,
  },
  {
    id: "wraps-count",
    what: "a Deposit log counts for a token that is not one that wraps",
    file: "src/watcher/match-movements.ts",
    find: 'if (movement.kind === "wrap" && !countsWraps(asset.kind)) return;',
    replace: 'if (movement.kind === "wrap" && countsWraps(asset.kind)) return;',
    test: {
      file: match,
      title: "counts what an asset wraps only where it is configured as one that wraps",
    },
    simulation: null,
  },
  {
    id: "measured-above-log",
    what: "an endpoint makes a deposit larger than its log",
    file: "src/watcher/measure-transfers.ts",
    find: "change > 0n && change <= amountAtomic",
    replace: "change > 0n",
    test: { file: `${head}/fee-on-transfer.test.ts`, title: "is never more than its log says" },
    simulation: "its tokens take no fee",
  },
];
