import type { Position } from "../../domain/chain/block.ts";
import type { BlockPart, UnreadablePolicy } from "../../domain/chain/block-proof.ts";
import { faultIn } from "../../domain/fault.ts";
import type { LoadedBlock, MovementProof } from "../../domain/money/movement.ts";
import type { Endpoint } from "../endpoints/endpoint.ts";
import type { Cryptography } from "../proof/hashing/cryptography.ts";
import { unreadableBlock, unreadPartOf } from "../proof/refuse-block.ts";
import type { BlockParts, LoadRules } from "./asking/load-block.ts";
import { assemble } from "./assemble.ts";
import { differenceOf } from "./differences.ts";

type Tools = { cryptography: Cryptography; rules: LoadRules };

/** A block that two endpoints vouch for, and what of it could not be read. */
export type AgreedBlock = { loaded: LoadedBlock; endpoints: [string, string]; why: string };

/**
 * Takes a block that cannot be read from endpoints of two different hosts that answer the same of it: block, receipts and,
 * where they are read, traces. Everything of it that can be proved still is. `answers`: what each endpoint that had the
 * block answered; `refusal`: with what it was refused.
 * @throws the refusal where the policy asks for a proof, or there are no two hosts; Fault `block_unreadable` where no two
 *   agree, naming where they differ
 */
export function agreeOn(
  answers: ReadonlyMap<Endpoint, BlockParts>,
  refusal: unknown,
  with_: Tools & { policy: UnreadablePolicy },
): AgreedBlock {
  const why = String(faultIn(refusal)?.facts["part"] ?? "");
  const witnesses = [...answers].flatMap(([endpoint, parts]): Witness[] => {
    const loaded = assembleUnread(parts, refusal, with_);
    return loaded === null ? [] : [{ endpoint, parts, loaded }];
  });
  let difference: { between: string; at: string; block: Position } | null = null;
  for (const [one, other] of pairsOf(witnesses)) {
    if (one.endpoint.host === other.endpoint.host) continue;
    const names: [string, string] = [one.endpoint.name, other.endpoint.name];
    const at = differenceBetween(one, other);
    if (at === null) return { loaded: marked(one.loaded), endpoints: names, why };
    difference ??= { between: names.join(" and "), at, block: one.parts.block };
  }
  if (difference === null) throw refusal;
  const { between, at, block } = difference;
  const unread = unreadPartOf(refusal) ?? "header";
  throw unreadableBlock(block, unread, `${why}; ${between} differ in ${at}`);
}

/** What an endpoint answered, and what it comes to. */
type Witness = { endpoint: Endpoint; parts: BlockParts; loaded: LoadedBlock };

function differenceBetween(one: Witness, other: Witness): string | null {
  const answered = differenceOf(one.parts, other.parts);
  if (answered !== null) return answered;
  return movesOf(one.loaded) === movesOf(other.loaded) ? null : "what their traces show";
}

function pairsOf<T>(items: readonly T[]): [T, T][] {
  return items.flatMap((one, index) => items.slice(index + 1).map((other): [T, T] => [one, other]));
}

/**
 * The block without the proofs that need what cannot be read; null where another part of it does not hold.
 * @throws the refusal, or the next one, where the policy asks for that proof
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

/** The receipt of an unknown type may be encoded in a way that is not known either; its logs are in the bloom. */
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

/** Every movement, as text: so traces of two kinds of node can be compared. */
export function movesOf({ movements }: LoadedBlock): string {
  return JSON.stringify(movements, (_, value: unknown) =>
    typeof value === "bigint" ? value.toString() : value,
  );
}

/** What no proof shows is shown by the agreement. */
function marked(loaded: LoadedBlock): LoadedBlock {
  const { logs, traces, others } = loaded.evidence;
  const agreed = (proof: MovementProof) => (proof === "answered" ? "agreed" : proof);
  return {
    ...loaded,
    evidence: {
      ...{ logs: agreed(logs), traces: agreed(traces), others: agreed(others) },
      unshownFees: new Set(),
    },
  };
}
