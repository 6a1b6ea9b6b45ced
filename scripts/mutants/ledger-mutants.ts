import type { Mutant } from "./mutant.ts";

const head = "test/integration/watcher/head";

/** Faults in what writes it. */
export const ledgerMutants: readonly Mutant[] = [
  {
    id: "fee-not-undone",
    what: "a reorg leaves the fees of the old branch in place",
    file: "src/ledger/commit/undo-blocks.ts",
    find: "UPDATE transaction SET orphaned = true\n    WHERE chain_name",
    replace: "UPDATE transaction SET orphaned = true\n    WHERE type <> 'fee' AND chain_name",
    test: { file: `${head}/reorg.test.ts`, title: "undoes the fee of a withdrawal with it" },
    simulation: null,
  },
  {
    id: "held-is-cleared",
    what: "reading a block again confirms what the balance check holds back",
    file: "src/ledger/transactions/known-transactions.ts",
    find: "unproven = (r.unproven OR (t.unproven AND t.block_hash = r.block_hash)) AND",
    replace: "unproven = r.unproven AND",
    test: {
      file: "test/integration/watcher/reconcile/held.test.ts",
      title: "the reconciler does not confirm what the balance check holds back",
    },
    simulation: null,
  },
  {
    id: "position-unchecked",
    what: "a block is committed on whatever position the ledger is at",
    file: "src/ledger/commit/commit-block.ts",
    find: "if (state.position?.number !== parent.number || state.position.hash !== parent.hash)",
    replace: "if (state.position === null)",
    test: {
      file: `${head}/watching.test.ts`,
      title: "lets only one of several watchers commit a block",
    },
    simulation: null,
  },
  {
    id: "out-adds",
    what: "a withdrawal adds to the balance",
    file: "src/ledger/balances/move-balances.ts",
    find: 'return direction === "in" ? amountAtomic : -amountAtomic;',
    replace: "return amountAtomic;",
    test: { file: `${head}/watching.test.ts`, title: "counts a withdrawal and its gas" },
    simulation: null,
  },
  {
    id: "pending-stays",
    what: "what is confirmed goes on counting as pending",
    file: "src/ledger/commit/write-blocks.ts",
    find: "pending: [...pendingMoves(appeared, 1n), ...pendingMoves(promoted, -1n)],",
    replace: "pending: pendingMoves(appeared, 1n),",
    test: {
      file: `${head}/asset-returns.test.ts`,
      title: "comes back while a deposit is pending is counted once",
    },
    simulation: null,
  },
  {
    id: "reversal-keeps-money",
    what: "a reversed deposit stays in the balance",
    file: "src/ledger/commit/settle-reorg.ts",
    find: "return weight === 0n ? [] : [taken];",
    replace: "return weight === 0n ? [] : [{ ...taken, effectAtomic: 0n }];",
    test: {
      file: `${head}/reorg.test.ts`,
      title: "reverses a completed deposit, takes its balance back",
    },
    simulation: null,
  },
  {
    id: "round-stays",
    what: "a deposit that comes back after its reversal is not notified again",
    file: "src/ledger/commit/settle-reorg.ts",
    find: "SET round = round + 1 WHERE",
    replace: "SET round = round WHERE",
    test: {
      file: `${head}/reorg.test.ts`,
      title: "notifies again, under the same id, for a deposit that is included again",
    },
    simulation: null,
  },
  {
    id: "settles-at-once",
    what: "what a reorg took away is reversed before the new branch is as high as the old one",
    file: "src/ledger/commit/undo-blocks.ts",
    find: "        : from.number;",
    replace: "        : ancestor.number + 1n;",
    test: {
      file: `${head}/reorg.test.ts`,
      title:
        "keeps the id and notifies nobody when the new branch has the transaction in another block",
    },
    simulation: null,
  },
  {
    id: "opening-twice",
    what: "a deposit that was confirmed while its asset was away counts beside the opening that holds it",
    file: "src/ledger/balances/openings.ts",
    find: "AND t.status = 'completed' AND t.block_number <= r.\"readNumber\"), 0)",
    replace: "AND t.status = 'completed' AND t.block_number < 0), 0)",
    test: {
      file: `${head}/asset-returns.test.ts`,
      title: "comes back while a deposit is pending is counted once",
    },
    simulation: null,
  },
  {
    id: "correction-twice",
    what: "a difference that two processes found is corrected twice",
    file: "src/ledger/reconciliation/record-findings.ts",
    find: 'if ((await tx.transaction.count({ where: { ...above, status: "completed" } })) > 0)',
    replace: 'if ((await tx.transaction.count({ where: { ...above, status: "completed" } })) < 0)',
    test: {
      file: "test/integration/watcher/reconcile/reconcile.test.ts",
      title: "does not correct twice what two processes found",
    },
    simulation: "its tokens change by transfers alone, so nothing is corrected",
  },
];
