import { ether, hex, isBlockCall, nonsenseHash, ofHeader } from "../changing.ts";
import { type BlockParts, emptied, withPayment } from "../forge-block.ts";
import { forging, forgingOne } from "../forge-branch.ts";
import { type JsonObject, lie, Misbehaving, type Scene, type Teller } from "../lie.ts";

const silent = (): Teller => async () => {
  throw new Misbehaving("hang");
};

const paid = { coin: 2n * ether, token: 5_000_000n };
const toHolder = (scene: Scene) => ({ owner: scene.holder, ...paid });

/** The first block of the branch pays the holder. */
const paying = (parts: BlockParts, scene: Scene, place: bigint) =>
  place === 0n ? withPayment(scene, parts, { to: scene.holder, ...paid }) : parts;

const inventing = { below: 0n, ahead: 0n, change: paying, moved: toHolder };
const hiding = { below: 0n, ahead: 0n, change: (parts: BlockParts) => emptied(parts) };
/** Deep enough to hold all that was confirmed. */
const undoing = { ...hiding, below: 12n };

/** In one block of long ago, below every hash that the daemon still has. */
const paidLongAgo = forgingOne({
  below: 585n,
  change: (parts, scene) => withPayment(scene, parts, { to: scene.holder, ...paid }),
  moved: toHolder,
});

const tokenOnlyLongAgo = forgingOne({
  below: 585n,
  change: (parts, scene) =>
    withPayment(scene, parts, { to: scene.holder, coin: 0n, token: paid.token }),
  moved: (scene) => ({ owner: scene.holder, coin: 0n, token: paid.token }),
});

export const branchLies = {
  "branch that invents a payment": lie(forging(inventing)),
  "branch that invents, the other silent": lie(forging(inventing), {
    beside: silent,
    isSilent: true,
  }),
  "branch that invents, six blocks higher": lie(forging({ ...inventing, ahead: 6n })),
  "branch that invents, 600 blocks higher": lie(forging({ ...inventing, ahead: 600n })),
  "branch that invents, for a while": lie(forging({ ...inventing, calls: 60 })),
  "branch that invents, for a while, the other silent": lie(forging({ ...inventing, calls: 60 }), {
    beside: silent,
    isSilent: true,
  }),
  "branch that hides all": lie(forging(hiding)),
  "branch that hides all, six blocks higher": lie(forging({ ...hiding, ahead: 6n })),
  "branch that undoes what was confirmed": lie(forging(undoing), { from: "confirmed" }),
  "branch that undoes, six blocks higher": lie(forging({ ...undoing, ahead: 6n }), {
    from: "confirmed",
  }),
  "branch that undoes, the other silent": lie(forging(undoing), {
    from: "confirmed",
    beside: silent,
    isSilent: true,
  }),
  "branch that undoes, six higher, the other silent": lie(forging({ ...undoing, ahead: 6n }), {
    from: "confirmed",
    beside: silent,
    isSilent: true,
  }),
  "branch that undoes, for a while": lie(forging({ ...undoing, ahead: 2n, calls: 80 }), {
    from: "confirmed",
  }),
  "branch from below the window": lie(forging({ ...hiding, below: 560n }), {
    from: "confirmed",
    reading: { isLong: true },
  }),
  "old block forged": lie(paidLongAgo, { from: "confirmed", reading: { isLong: true } }),
  "old block forged, the token alone": lie(tokenOnlyLongAgo, {
    from: "confirmed",
    reading: { isLong: true },
  }),
  "old block forged, without the balances": lie(
    forgingOne({
      below: 585n,
      moved: (scene: Scene) => ({ ...toHolder(scene), coin: 0n, token: 0n }),
      change: (parts, scene) => withPayment(scene, parts, { to: scene.holder, ...paid }),
    }),
    { from: "confirmed", reading: { isLong: true } },
  ),
  "history forged": lie(
    forgingOne({
      below: 4n,
      moved: toHolder,
      change: (parts, scene) => withPayment(scene, parts, { to: scene.holder, ...paid }),
    }),
    { from: "openings", reading: { isLong: true } },
  ),
  "headers nonsense": lie(
    ofHeader((block) => ({ ...block, hash: nonsenseHash })),
    {
      from: "confirmed",
    },
  ),
  "next block of another parent": lie(
    () => async (call, ask) => {
      const answer = (await ask()) as JsonObject | null;
      const isNext = isBlockCall(call) && call.params[0] !== "latest" && call.params[1] === true;
      return isNext && answer !== null ? { ...answer, parentHash: nonsenseHash } : answer;
    },
    { from: "confirmed" },
  ),
  "old headers shifted by one": lie(
    () => async (call, ask) => {
      const [at, isFull] = call.params;
      if (!isBlockCall(call) || isFull !== false || !String(at).startsWith("0x")) return ask();
      if (String(at).length > 60) return ask();
      const before = (await ask({
        ...call,
        params: [hex(BigInt(String(at)) - 1n), false],
      })) as JsonObject | null;
      return before && { ...before, number: at };
    },
    { from: "confirmed" },
  ),
};
