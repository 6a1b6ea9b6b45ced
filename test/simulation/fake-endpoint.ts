import type { Address } from "../../src/domain/address.ts";
import type { BlockHeader, Hash, Position } from "../../src/domain/block.ts";
import { Fault } from "../../src/domain/fault.ts";
import type { AssetAddress, LoadedBlock } from "../../src/domain/movement.ts";
import { type FakeBlock, type FakeChain, holdingKey } from "./fake-chain.ts";
import type { Profile } from "./profile.ts";
import type { Random } from "./random.ts";

export const chainId = 4711;

/** What an endpoint knows while it answers: a branch up to a head. */
type View = { branch: readonly FakeBlock[]; head: number };

export type EndpointOptions = {
  chain: () => FakeChain;
  profile: Profile;
  random: Random;
  isHealed: () => boolean;
  enter: <T>(label: string, work: () => Promise<T>) => Promise<T>;
};

/**
 * A chain's endpoint as a provider's load balancer makes it: behind each question may be another node, which lags, is
 * on another branch, has pruned its states, is out of order or refuses. What one answer says is true on its branch.
 */
export function createFakeEndpoint(options: EndpointOptions) {
  const { chain, profile, random, isHealed, enter } = options;
  let node: { view: () => View; answersLeft: number } | null = null;

  function canonicalView(): View {
    const branch = chain().canonical();
    return { branch, head: branch.length - 1 };
  }

  /** One that lags or is on another branch may answer several questions in a row. */
  function view(): View {
    if (isHealed()) return canonicalView();
    if (node === null || node.answersLeft <= 0) node = pickNode();
    node.answersLeft -= 1;
    return node.view();
  }

  function pickNode() {
    const left = chain().left().slice(-2);
    const answersLeft = random.pick([1, 1, 3, 8, 20]);
    if (left.length > 0 && random.chance(profile.otherFork)) {
      const branch = random.pick(left);
      return { view: () => ({ branch, head: branch.length - 1 }), answersLeft };
    }
    const lag = random.chance(profile.lag) ? random.int(1, 20) : 0;
    const lagging = () => {
      const { branch, head } = canonicalView();
      return { branch, head: Math.max(0, head - lag) };
    };
    return { view: lagging, answersLeft: lag === 0 ? 1 : answersLeft };
  }

  function refuse(): void {
    if (isHealed() || !random.chance(profile.rpcError)) return;
    const why = random.pick(["HTTP status 429", "HTTP status 503", "it took too long"]);
    throw new Fault("rpc_unavailable", `The endpoint gave no usable answer: ${why}.`);
  }

  function blockAt(number: bigint): FakeBlock {
    const { branch, head } = view();
    const block = number > BigInt(head) ? undefined : branch[Number(number)];
    if (block === undefined || (!isHealed() && random.chance(profile.missing))) throw missing(number);
    return block;
  }

  return {
    head: (): Promise<Position> =>
      enter("head", async () => {
        refuse();
        const { branch, head } = view();
        const block = branch[head];
        if (block === undefined) throw missing(BigInt(head));
        return { ...block.header };
      }),

    header: (number: bigint): Promise<BlockHeader> =>
      enter(`header ${number}`, async () => {
        refuse();
        return { ...blockAt(number).header };
      }),

    headers: (from: bigint, to: bigint): Promise<BlockHeader[]> =>
      enter(`headers ${from}..${to}`, async () => {
        refuse();
        const { branch, head } = view();
        if (to > BigInt(head)) throw missing(to);
        return branch.slice(Number(from), Number(to) + 1).map((block) => ({ ...block.header }));
      }),

    identity: (): Promise<{ chainId: number; genesisHash: Hash }> =>
      enter("identity", async () => {
        refuse();
        const isWrong = !isHealed() && random.chance(profile.wrongChain);
        return { chainId: isWrong ? 1 : chainId, genesisHash: chain().genesis.header.hash };
      }),

    loadBlock: (number: bigint): Promise<LoadedBlock> =>
      enter(`block ${number}`, async () => {
        refuse();
        const { header, movements } = blockAt(number);
        return { header: { ...header }, movements: movements.map((one) => ({ ...one })) };
      }),

    balancesAt: (
      blockHash: Hash,
      holdings: { walletAddress: Address; assetAddress: AssetAddress }[],
    ): Promise<bigint[]> =>
      enter(`balances of ${holdings.length}`, async () => {
        refuse();
        const { branch, head } = view();
        const block = chain().byHash.get(blockHash);
        const number = Number(block?.header.number ?? -1n);
        // EIP-1898 with requireCanonical: a block that is not of this branch has no state here.
        const isKnown = number <= head && branch[number] === block;
        const isGone = head - number > profile.stateBlocks || (!isHealed() && random.chance(profile.stateGone));
        if (block === undefined || !isKnown || isGone) throw stateGone(blockHash);
        return holdings.map(
          ({ walletAddress, assetAddress }) =>
            block.balances.get(holdingKey(walletAddress, assetAddress)) ?? 0n,
        );
      }),
  };
}

function missing(number: bigint): Fault {
  return new Fault("rpc_inconsistent", `The endpoint does not have block ${number}.`);
}

function stateGone(blockHash: Hash): Fault {
  return new Fault("state_unavailable", `The endpoint does not give balances at ${blockHash}.`);
}
