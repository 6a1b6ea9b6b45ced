import type { Keccak } from "../../../src/chain/proof/hashing/keccak.ts";
import { catalogue } from "../../support/chain/liar/catalogue.ts";
import { type Lie, type Teller, together } from "../../support/chain/liar/lie.ts";
import type { FakeBlock, FakeChain } from "../chain/fake-chain.ts";
import { makeTransaction } from "../chain/traffic.ts";
import type { Random } from "../random.ts";
import type { Scheduler } from "../scheduler.ts";
import type { Cast } from "./cast.ts";
import { ownLies } from "./own-lies.ts";
import { createScene } from "./scene.ts";

/** What the endpoints of a cast are doing at the moment. */
export type Spells = ReturnType<typeof createSpells>;

/** Chances at each moment of a run. */
const changesItsStory = 0.01;
const fallsSilent = 0.006;
const freezes = 0.01;

function lieOf(name: string): Lie | undefined {
  return catalogue.get(name) ?? ownLies.get(name);
}

type Ports = {
  cast: Cast;
  scheduler: Pick<Scheduler, "now" | "note">;
  chain: FakeChain;
  keccak: Keccak;
  random: (name: string) => Random;
  /** The addresses of all wallets. */
  watched: () => readonly string[];
};

/**
 * The lies of a run in their turn: several at once, one after another, with honest spells between
 * them; and the silences of the others. `pass` is called at each moment; all of it ends for good
 * when the run is healed.
 */
export function createSpells(ports: Ports) {
  const { cast, scheduler, chain, keccak, random: randomOf } = ports;
  const random = randomOf("spells");
  const sceneOf = { random: randomOf("scene"), watched: [] };
  const anyone = createScene(chain, keccak, sceneOf);
  let teller: Teller | null = null;
  let silentUntilMs = Number.NEGATIVE_INFINITY;
  let frozenAt: number | null = null;
  let invented: readonly FakeBlock[] | null = null;
  const lies = new Set<string>();

  function changeStory(lies: readonly string[]): void {
    teller = null;
    if (random.chance(0.3)) {
      scheduler.note("the liar tells the truth");
      return;
    }
    const names = random.shuffle(lies).slice(0, random.pick([1, 1, 2, 3]));
    const isAimed = cast.liar?.aims === true;
    const scene = isAimed
      ? createScene(chain, keccak, { ...sceneOf, watched: ports.watched() })
      : anyone;
    teller = together(names.flatMap((name) => lieOf(name)?.tell(scene) ?? []));
    scheduler.note(`the liar tells: ${names.join("; ")}`);
  }

  function maySpeak(): void {
    const { silent } = cast;
    // Whoever has been silent speaks for longer than others are waited for: two silences are not
    // one.
    const isRested = scheduler.now() > silentUntilMs + cast.witness.patienceMs;
    if (silent === null || !isRested || !random.chance(fallsSilent)) return;
    const ms = random.int(1_000, silent.longestMs);
    silentUntilMs = scheduler.now() + ms;
    scheduler.note(`endpoint ${silent.at} is silent for ${ms / 1_000} s`);
  }

  /**
   * The liar makes up another branch, with money for everybody, or answers honestly for a while.
   */
  function invent(random: Random): void {
    invented = null;
    if (random.chance(0.4)) return;
    const depth = random.int(0, Math.min(10, chain.canonical().length - 1));
    const blocks = Array.from({ length: depth + random.int(1, 30) }, () => [
      makeTransaction(random, keccak),
      makeTransaction(random, keccak),
    ]);
    invented = chain.invent(depth, blocks);
    for (const block of invented.slice(-blocks.length)) lies.add(block.header.hash);
    scheduler.note(`the liar makes up ${blocks.length} blocks over the last ${depth}`);
  }

  return {
    invent,
    /** The branch that one endpoint makes up, at the moment. */
    invented: () => invented,
    /** Whether a block was ever made up. */
    isLie: (hash: string) => lies.has(hash),
    hasLied: () => lies.size > 0,
    tellerOf: (at: number) => (cast.liar?.at === at ? teller : null),
    isSilent: (at: number) => cast.silent?.at === at && scheduler.now() < silentUntilMs,
    frozenAt: (at: number) => (cast.frozen === at ? frozenAt : null),

    pass(): void {
      if (cast.liar !== null && random.chance(changesItsStory)) {
        if (cast.liar.invents && random.chance(0.4)) invent(random);
        else changeStory(cast.liar.lies);
      }
      maySpeak();
      if (cast.frozen !== null && random.chance(freezes)) {
        frozenAt = frozenAt === null ? Number(chain.head().number) : null;
        scheduler.note(`endpoint ${cast.frozen} ${frozenAt === null ? "follows" : "is frozen"}`);
      }
    },

    end(): void {
      teller = null;
      silentUntilMs = Number.NEGATIVE_INFINITY;
      frozenAt = null;
      invented = null;
    },
  };
}
