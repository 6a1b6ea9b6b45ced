import type { BlockPart, UnreadablePolicy } from "../../domain/chain/block-proof.ts";
import type { AgreedReading } from "../../domain/chain/chain-status.ts";
import { faultIn } from "../../domain/fault.ts";
import type { LoadedBlock, MovementProof } from "../../domain/money/movement.ts";
import { type AgreementRule, judge } from "../../domain/watch/agreement.ts";
import { createExponentialSampler } from "../../runtime/exponential-sampler.ts";
import type { Logger } from "../../runtime/logger.ts";
import { assemble, type Tools } from "../blocks/asking/assemble.ts";
import type { BlockParts, LoadRules } from "../blocks/asking/load-block.ts";
import type { Endpoint } from "../endpoints/endpoint.ts";
import { unknownIn, unreadableBlock, unreadPartOf } from "../proof/refuse-block.ts";
import { notAsked } from "./ask-hosts.ts";

/** A block on which two endpoints agree, and the reason why it could not be proved. */
export type AgreedBlock = { loaded: LoadedBlock; endpoints: [string, string] } & Pick<
  AgreedReading,
  "why" | "unread" | "unknown"
>;

/**
 * Accepts a block that cannot be proved, if endpoints of two hosts answer the same. Block and
 * receipts must be equal, and traces if they are read. Its provable parts are still proved.
 * @param answers what each endpoint that had the block answered
 * @param refusal the fault with which the block was refused
 * @throws the refusal if the policy asks for a proof, or there are no two hosts. Fault
 *   `block_unreadable` if no two hosts agree; it names the difference
 */
export function agreeOnUnreadable(
  answers: ReadonlyMap<Endpoint, BlockParts>,
  refusal: unknown,
  tools: Tools & { policy: UnreadablePolicy },
): AgreedBlock {
  const why = String(faultIn(refusal)?.facts["part"] ?? "");
  const readings = [...answers].flatMap(([endpoint, parts]): Reading[] => {
    const loaded = assembleUnread(parts, refusal, tools);
    return loaded === null ? [] : [{ endpoint, parts, loaded }];
  });
  const verdict = judge({ values: readings, silent: notAsked }, rule);
  if (verdict.kind === "agreed") {
    const { value: one, also } = verdict;
    const [other = one] = also;
    return {
      loaded: marked(one.loaded),
      endpoints: [one.endpoint.name, other.endpoint.name],
      why,
      unread: unreadPartOf(refusal),
      unknown: unknownIn(refusal),
    };
  }
  for (const [one, other] of pairsOf(readings)) {
    const at = isOfOneHost(one, other) ? null : differenceBetween(one, other);
    if (at === null) continue;
    const unread = unreadPartOf(refusal) ?? "header";
    const names = `${one.endpoint.name} and ${other.endpoint.name}`;
    const part = `${why}; ${names} differ in ${at}`;
    throw unreadableBlock(one.parts.block, unread, { part, unknown: unknownIn(refusal) });
  }
  throw refusal;
}

/** A block as one endpoint answered it, with what it decodes to. */
export type Reading = { endpoint: Endpoint; parts: BlockParts; loaded: LoadedBlock };

/** Sameness is not transitive: two nodes may differ in a field that a third node leaves out. */
const rule: AgreementRule<Reading> = {
  needed: 2,
  isSame: (one, other) => !isOfOneHost(one, other) && differenceBetween(one, other) === null,
};

const isOfOneHost = (one: Reading, other: Reading) => one.endpoint.host === other.endpoint.host;

function differenceBetween(one: Reading, other: Reading): string | null {
  const answered = differenceOf(one.parts, other.parts);
  if (answered !== null) return answered;
  return movesOf(one.loaded) === movesOf(other.loaded) ? null : "what their traces show";
}

function pairsOf<T>(items: readonly T[]): [T, T][] {
  return items.flatMap((one, index) => items.slice(index + 1).map((other): [T, T] => [one, other]));
}

/**
 * Assembles the block without the proofs for its unreadable part. Null: another part of it does not
 * hold.
 * @throws the refusal, or the next one, if the policy asks for that proof
 */
function assembleUnread(
  parts: BlockParts,
  refusal: unknown,
  { cryptography, rules, policy }: Tools & { policy: UnreadablePolicy },
): LoadedBlock | null {
  const unread = unreadPartOf(refusal);
  if (unread === null || policy[unread] !== "agreed") throw refusal;
  const eased = easing(rules, unread);
  try {
    return assemble(parts, { cryptography, rules: eased });
  } catch (error) {
    if (unreadPartOf(error) !== null)
      return assembleUnread(parts, error, { cryptography, rules: eased, policy });
    if (faultIn(error) === undefined) throw error;
    return unread === "contents" ? assembleByBloom(parts, { cryptography, rules: eased }) : null;
  }
}

/**
 * Proves the logs by the bloom instead of the receipts' root. A receipt of an unknown type may have
 * an unknown encoding too, but the bloom covers its logs.
 */
function assembleByBloom(parts: BlockParts, { cryptography, rules }: Tools): LoadedBlock | null {
  const { proof } = rules;
  if (proof.receipts !== "root" && proof.receipts !== "root-op") return null;
  try {
    return assemble(parts, {
      cryptography,
      rules: { ...rules, proof: { ...proof, receipts: "bloom" } },
    });
  } catch (error) {
    if (faultIn(error) === undefined) throw error;
    return null;
  }
}

function easing(rules: LoadRules, unread: BlockPart): LoadRules {
  const without = unread === "header" ? { header: false } : { transactions: false };
  return { ...rules, proof: { ...rules.proof, ...without } };
}

/** All movements as text, so that traces of two kinds of node can be compared. */
export function movesOf({ movements }: Pick<LoadedBlock, "movements">): string {
  return JSON.stringify(movements, (_, value: unknown) =>
    typeof value === "bigint" ? value.toString() : value,
  );
}

/** Marks as `agreed` every part without a proof, since the hosts agree on it. */
function marked(loaded: LoadedBlock): LoadedBlock {
  const { logs, traces, others } = loaded.evidence;
  const agreed = (proof: MovementProof) => (proof === "answered" ? "agreed" : proof);
  return {
    ...loaded,
    evidence: {
      logs: agreed(logs),
      traces: agreed(traces),
      others: agreed(others),
      unshownFees: new Set(),
    },
  };
}

/**
 * Stores for the operator which block was accepted by agreement. Logs the 1st, 2nd, 4th, 8th …
 * time.
 */
export function createAgreements(log: Logger, chainId: number) {
  const sampler = createExponentialSampler();
  let reading: AgreedReading | null = null;
  return {
    add({ loaded, endpoints, why, unread, unknown }: AgreedBlock): void {
      const { number } = loaded.header;
      const blocks = (reading?.blocks ?? 0) + 1;
      reading = { blocks, number, endpoints, why, unread, unknown };
      const count = sampler.count(endpoints.join());
      if (count === null) return;
      log.warn({ chainId, blockNumber: number.toString(), endpoints, why, count }, "block.agreed");
    },
    reading: () => reading,
  };
}

// Compares two endpoints' answers about a block. They must be byte for byte the same, except for
// fields that one node writes and another leaves out.

/**
 * Fields that nodes add for convenience or write in their own way. Consensus does not hash them.
 */
const conveniences = new Set([
  // Of a block.
  ...["size", "totalDifficulty", "author", "sealFields", "transactionCount", "blockTimestamp"],
  ...["milliTimestamp", "timestampMillis", "timestampNano", "timestampMilliseconds"],
  ...["l1BatchNumber", "l1BatchTimestamp", "sendCount", "sendRoot"],
  // Of a transaction. `v` of a typed one repeats its `yParity`, and its receipt has the price that
  // it paid.
  ...["chainId", "v", "yParity", "gasPrice", "publicKey", "standardV", "creates", "raw"],
  // Of a receipt or a log.
  ...["root", "transactionLogIndex", "logType", "gasUsedForL1", "l1BlockNumber", "timeboosted"],
]);

/** Describes where two endpoints' answers about one block differ; null: they agree. */
function differenceOf(a: BlockParts, b: BlockParts): string | null {
  return (
    differ(a.block.raw, b.block.raw, "block") ??
    differ(
      a.receipts.map(({ raw }) => raw),
      b.receipts.map(({ raw }) => raw),
      "receipts",
    )
  );
}

/** The first place at which two values differ. Null and a missing value count as the same. */
function differ(a: unknown, b: unknown, at: string): string | null {
  const [one, other] = [a ?? null, b ?? null];
  if (one === other) return null;
  if (typeof one === "string" && typeof other === "string")
    return one.toLowerCase() === other.toLowerCase() ? null : at;
  if (!isStructure(one) || !isStructure(other) || Array.isArray(one) !== Array.isArray(other))
    return at;
  const keys = new Set([...Object.keys(one), ...Object.keys(other)]);
  for (const key of keys) {
    const [left, right] = [Reflect.get(one, key) ?? null, Reflect.get(other, key) ?? null];
    if (conveniences.has(key) && (left === null || right === null)) continue;
    const found = differ(left, right, `${at}.${key}`);
    if (found !== null) return found;
  }
  return null;
}

function isStructure(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}
