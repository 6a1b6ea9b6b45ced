import type { Position } from "../../domain/chain/block.ts";
import { type ConfirmationPolicy, confirmedHeight } from "../../domain/chain/confirmation.ts";
import type { Period } from "../../domain/spans.ts";
import type { AgreementGate, Ballot } from "../../domain/watch/agreement-gate.ts";
import type { ChainSource, HeadAnswer, TaggedBlock } from "../../domain/watch/chain-source.ts";
import type { RangeBlock } from "../../domain/watch/watch-filter.ts";
import { watchFilterOf } from "../../domain/watch/watch-filter.ts";
import type { Watchlist } from "../../domain/watch/watchlist.ts";
import type { Clock } from "../../runtime/clock.ts";
import { readTag } from "../gate/confirmable.ts";
import { matchMovements } from "../match-movements.ts";
import { measure } from "../report-spans.ts";

type Ports = {
  chain: Pick<ChainSource, "tagged" | "loadNext" | "loadAnnounced">;
  gate: Pick<AgreementGate, "askOthers">;
  clock: Clock;
};

/** The way to read a block, and the other questions to ask at the same time. */
export type Reading = {
  chainName: string;
  policy: ConfirmationPolicy;
  list: Watchlist;
  isWhole: boolean;
  /** The height that is confirmed already. Null: none is. */
  confirmedNumber: bigint | null;
  /**
   * The tag that was read before the batch that this block would join. A newer one is read after
   * the batch is written. Undefined: there is no batch.
   */
  batchTag: TaggedBlock | null | undefined;
};

/** A block, and how it was read, as far as confirming needs it. */
export type ReadBlock = {
  block: RangeBlock;
  /** True if the block contains a movement that is watched. */
  isOurs: boolean;
  /** When the read ended, on the steady clock. */
  readMs: number;
  read: Period;
  /** Read before the block. Null: the policy names no tag. */
  tag: TaggedBlock | null;
  /** The votes of other endpoints on the height that the block would confirm. Null: not asked. */
  ballot: Ballot | null;
};

/**
 * Reads the block of a height, and asks other endpoints at the same time.
 * @param head what an endpoint has just answered, perhaps that very block; null: no endpoint was
 *   asked
 */
export async function readByHeight(
  ports: Ports,
  { number, head }: { number: bigint; head: HeadAnswer | null },
  reading: Reading,
): Promise<ReadBlock> {
  const answered = head?.number === number ? head.block : undefined;
  const load = () => measured(ports, ports.chain.loadNext(number, filterOf(reading), answered));
  const { batchTag, policy } = reading;
  if (batchTag !== undefined) return readBlockOf(await load(), reading, batchTag, null);
  const tag = await readTag(ports.chain, policy);
  const [read, ballot] = await Promise.all([load(), askVotes(ports, reading, { number, tag })]);
  return readBlockOf(read, reading, tag, ballot);
}

/**
 * Reads the announced block after a position, and asks all else at the same time. Null: the block
 * must be asked for by its height. It was not announced or could not be read, or the tag is above
 * it. A tag must be read before the block.
 */
export async function readAnnounced(
  ports: Ports,
  after: Position,
  reading: Reading,
): Promise<ReadBlock | null> {
  const loading = ports.chain.loadAnnounced(after, filterOf(reading));
  if (loading === null) return null;
  const { batchTag, policy } = reading;
  const askBeside = async () => {
    if (batchTag !== undefined) return { tag: batchTag, ballot: null };
    const tag = await readTag(ports.chain, policy);
    const number = after.number + 1n;
    return { tag, ballot: await askVotes(ports, reading, { number, tag }) };
  };
  const [read, { tag, ballot }] = await Promise.all([measured(ports, loading), askBeside()]);
  const { block } = read;
  if (block === null) return null;
  if (batchTag === undefined && tag !== null && tag.number > block.header.number) return null;
  return readBlockOf({ ...read, block }, reading, tag, ballot);
}

function filterOf({ list, isWhole }: Reading) {
  return isWhole ? null : watchFilterOf(list);
}

type Measured<Block> = Pick<ReadBlock, "readMs" | "read"> & { block: Block };

async function measured<Block>(
  { clock }: Pick<Ports, "clock">,
  loading: Promise<Block>,
): Promise<Measured<Block>> {
  const read = measure(clock);
  const block = await loading;
  return { block, read: read(), readMs: clock.elapsed() };
}

function readBlockOf(
  read: Measured<RangeBlock>,
  { chainName, list }: Reading,
  tag: TaggedBlock | null,
  ballot: Ballot | null,
): ReadBlock {
  const isOurs = matchMovements(chainName, read.block, list).length > 0;
  return { ...read, isOurs, tag, ballot };
}

/**
 * The votes of other endpoints on the height that the block would confirm. Null: it would confirm
 * none, or only its time will show which.
 */
async function askVotes(
  { gate }: Ports,
  { policy, confirmedNumber }: Reading,
  { number, tag }: { number: bigint; tag: TaggedBlock | null },
): Promise<Ballot | null> {
  const confirmed = confirmedHeight(number, policy, tag?.number ?? null);
  if (confirmed <= (confirmedNumber ?? -1n)) return null;
  return gate.askOthers(confirmed, policy.kind === "tag" ? policy.tag : null);
}
