import type { Position } from "../../../domain/chain/block.ts";
import { type ConfirmationPolicy, confirmedHeight } from "../../../domain/chain/confirmation.ts";
import type { Period } from "../../../domain/spans.ts";
import type { ChainSource, TaggedBlock, Witness } from "../../../domain/watch/chain-source.ts";
import type { RangeBlock, WatchFilter } from "../../../domain/watch/watch-filter.ts";
import type { Clock } from "../../../runtime/clock.ts";
import { readTag } from "../../gate/confirmable.ts";
import type { WitnessGate } from "../../gate/witness-gate.ts";
import { measure } from "../../report-spans.ts";
import type { HeldBlocks } from "./held-blocks.ts";

export type NextPorts = {
  chain: Pick<ChainSource, "tagged" | "loadNext" | "loadAnnounced" | "leading">;
  gate: Pick<WitnessGate, "askOthers">;
  clock: Clock;
};

/** How the chain is confirmed, and how far it is; null: nothing is. */
export type Confirming = { policy: ConfirmationPolicy; confirmedNumber: bigint | null };

/** How a block is read: after the blocks that are held, if any, and for what; null: whole. */
export type Reading = { held: HeldBlocks | null; watchFilter: WatchFilter | null };

/**
 * A block to be committed, the endpoint that it was read from, when it was, and what confirming needs: the tag of the
 * policy, and what other endpoints say.
 */
export type NextBlock = {
  block: RangeBlock;
  readFrom: string;
  read: Period;
  tag: TaggedBlock | null;
  witness: Witness | null;
};

/** Reads the block of a height, and asks other endpoints at the same time: not where blocks are held before it. */
export async function askNext(
  ports: NextPorts,
  number: bigint,
  { held, watchFilter, ...confirming }: Confirming & Reading,
): Promise<NextBlock> {
  const load = () => withReader(ports, ports.chain.loadNext(number, watchFilter));
  if (held !== null) return afterHeld(held, await load());
  const tag = await readTag(ports.chain, confirming.policy);
  const [read, witness] = await Promise.all([
    load(),
    askWitness(ports, { ...confirming, number, tag }),
  ]);
  return { ...read, tag, witness };
}

/**
 * Reads the block after a position where it has been announced, with everything else asked for at the same time. Null
 * where it has to be asked for by its height: it was not announced, could not be read, or the tag is above it (a tag
 * must be read before the block).
 */
export async function askAnnounced(
  ports: NextPorts,
  after: Position,
  { held, watchFilter, ...confirming }: Confirming & Reading,
): Promise<NextBlock | null> {
  const loading = ports.chain.loadAnnounced(after, watchFilter);
  if (loading === null) return null;
  if (held !== null) {
    const { block, ...reader } = await withReader(ports, loading);
    return block === null ? null : afterHeld(held, { block, ...reader });
  }
  const askConfirming = async () => {
    const tag = await readTag(ports.chain, confirming.policy);
    const number = after.number + 1n;
    return { tag, witness: await askWitness(ports, { ...confirming, number, tag }) };
  };
  const [read, { tag, witness }] = await Promise.all([withReader(ports, loading), askConfirming()]);
  const { block, ...reader } = read;
  if (block === null || (tag !== null && tag.number > block.header.number)) return null;
  return { block, ...reader, tag, witness };
}

/** The tag that was read before the held blocks counts. What confirms is asked for once they are written. */
function afterHeld(
  { tag }: HeldBlocks,
  read: Pick<NextBlock, "block" | "readFrom" | "read">,
): NextBlock {
  return { ...read, tag, witness: null };
}

/** Whichever endpoint a block was read from leads once it has been read. */
async function withReader<Block>({ chain, clock }: NextPorts, loading: Promise<Block>) {
  const measured = measure(clock);
  const block = await loading;
  return { block, readFrom: chain.leading(), read: measured() };
}

/**
 * What other endpoints say of the height that the block would confirm; null where it would confirm none, and where only
 * its time will say which.
 */
async function askWitness(
  { gate }: NextPorts,
  of: Confirming & { number: bigint; tag: TaggedBlock | null },
): Promise<Witness | null> {
  const { number, tag, policy, confirmedNumber } = of;
  const confirmed = confirmedHeight(number, policy, tag?.number ?? null);
  if (confirmed <= (confirmedNumber ?? -1n)) return null;
  return gate.askOthers(confirmed, policy.kind === "tag" ? policy.tag : null);
}
