/** The abilities that an endpoint may have, beside answering with blocks. */
export const abilities = {
  block_receipts: { description: "all receipts of a block in one answer" },
  traces: { description: "the traces of a block" },
  logs: { description: "the logs of a range of blocks" },
  proofs: { description: "balances with a proof by the state root" },
  access_lists: { description: "the access list of a block" },
  many_balances: { description: "many balances in one answer, by a contract of the chain" },
  announcements: { description: "new blocks announced by a websocket" },
  old_blocks: { description: "old blocks with their logs, receipts and traces" },
  old_state: { description: "balances after old blocks" },
} as const;

export type Ability = keyof typeof abilities;

/**
 * The abilities that an endpoint has shown since its watcher began. An ability that it was not
 * asked for stands in neither list.
 */
export type ShownAbilities = {
  can: Ability[];
  cannot: Ability[];
  /** The blocks that one question for logs may span; null: it was not asked for logs. */
  logBlocks: number | null;
};
