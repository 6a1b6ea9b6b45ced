// Cases of what a watcher decides: a chain whose position is block 10, and whose head is asked for.

import type { Hash, Position } from "../../../src/domain/chain/block.ts";
import type { ChainState } from "../../../src/domain/chain/chain-state.ts";
import type { ConfirmationPolicy } from "../../../src/domain/chain/confirmation.ts";
import { onlyAnswered } from "../../../src/domain/money/movement.ts";
import {
  decide,
  type Head,
  type Known,
  type Next,
  type Now,
  nothingSeen,
  type Rules,
  type Seen,
} from "../../../src/watcher/head/decide.ts";
import type { ReadBlock } from "../../../src/watcher/head/read-next.ts";

/** Block n of the chain is `a` + n, of another branch `b` + n. */
export const hash = (number: bigint, branch = "a"): Hash => `0x${branch}${number}`;
export const position = (number: bigint, branch = "a"): Position => ({
  number,
  hash: hash(number, branch),
});
export const tip = position(10n);

export const state: ChainState = {
  name: "moon",
  genesisHash: hash(0n),
  position: tip,
  confirmedNumber: 8n,
  settleNumber: null,
  watchVersion: 1n,
  undos: 0,
  stopped: null,
};

export const known = (of: Partial<Known> = {}): Known => ({
  kind: "known",
  tip,
  confirmedNumber: 8n,
  headNumber: 10n,
  nearHead: null,
  readMs: null,
  isWhole: false,
  ...of,
});

export function block(
  number: bigint,
  of: Partial<ReadBlock> & { branch?: string } = {},
): ReadBlock {
  const { branch = "a", ...read } = of;
  const header = {
    ...position(number, branch),
    parentHash: hash(number - 1n, branch),
    timeMs: Number(number) * 1_000,
  };
  const loaded = { header, movements: [], evidence: onlyAnswered, host: "node", isWhole: true };
  return {
    block: loaded,
    isOurs: false,
    readMs: 1_000,
    read: { startMs: 0, endMs: 1 },
    tag: null,
    ballot: null,
    ...read,
  };
}

export const looked = (of: Partial<Seen> = {}): Seen => ({
  ...nothingSeen,
  hasLooked: true,
  state,
  ...of,
});
export const batchingSeen = (of: Partial<Seen> = {}): Seen => ({
  ...nothingSeen,
  hasLooked: true,
  ...of,
});

export const quiet: Now = { ms: 1_000, announced: null, quietMs: 0 };
export const announcing = (number: bigint, branch = "a"): Now => ({
  ...quiet,
  announced: position(number, branch),
});

const rules: Rules = { policy: { kind: "depth", depth: 3 }, farBlocks: 100n };

export function next(head: Head, seen: Seen, now: Now = quiet, policy?: ConfirmationPolicy): Next {
  return decide(head, seen, now, { ...rules, policy: policy ?? rules.policy });
}

export type Case = [title: string, head: Head, seen: Seen, now: Now, expected: Next];

export const wait = (
  why: Extract<Next, { kind: "wait" }>["why"],
  ms: number | null = null,
): Next => ({
  kind: "wait",
  ms,
  why,
});
