import type { Position } from "../../domain/chain/block.ts";
import type { ConfirmationPolicy } from "../../domain/chain/confirmation.ts";
import type { Spans } from "../../domain/spans.ts";
import type { AgreementGate } from "../../domain/watch/agreement-gate.ts";
import type { ChainSource } from "../../domain/watch/chain-source.ts";
import type { ConfirmOutcome } from "../../domain/watch/commit.ts";
import type { HeadLedger } from "../../domain/watch/watcher-ledger.ts";
import type { Clock } from "../../runtime/clock.ts";
import type { Logger } from "../../runtime/logger.ts";
import {
  findConfirmable,
  type HeightLedger,
  heightToConfirm,
  readTag,
} from "../gate/confirmable.ts";
import { logDispute } from "../report-commit.ts";
import { measure, reportConfirmed } from "../report-spans.ts";

type Promoted = Extract<ConfirmOutcome, { kind: "promoted" }>;

type Ports = {
  chain: Pick<ChainSource, "tagged">;
  gate: AgreementGate;
  ledger: HeightLedger & Pick<HeadLedger, "confirmUpTo">;
  clock: Clock;
  log: Logger;
  spans: Spans;
};

/** The chain while its position is the head. */
type AtHead = {
  chainName: string;
  policy: ConfirmationPolicy;
  position: Position;
  /** Null: nothing is confirmed yet. */
  confirmedNumber: bigint | null;
  /** The height at which a reorg is settled. Null: there is none to settle. */
  settleNumber: bigint | null;
};

/**
 * Confirms and settles blocks without a new block: a tag has moved, or another endpoint agrees now.
 * Asks nobody if the policy's depth has already confirmed all that it can. Safe to repeat.
 */
export async function confirmAtHead(
  ports: Ports,
  of: AtHead,
): Promise<Promoted | { kind: "nothing_new" }> {
  const { chainName, position, confirmedNumber, settleNumber } = of;
  const isSettled = await maySettle(ports, { chainName, settleNumber, tip: position });
  const confirmable = await findNew(ports, of);
  if (confirmable === null && !isSettled) return { kind: "nothing_new" };
  const { number: upTo, isAgreed } = confirmable ?? {
    number: confirmedNumber ?? 0n,
    isAgreed: true,
  };
  const confirmation = { chainName, position, upTo, isAgreed, isSettled };
  const written = measure(ports.clock);
  const outcome = await ports.ledger.confirmUpTo(confirmation);
  if (outcome.kind === "position_moved") return { kind: "nothing_new" };
  const { confirmedIds, ...counts } = outcome;
  const commit = written();
  reportConfirmed(ports.spans, { chainName, tip: position, commit, confirmedIds });
  ports.log.info({ chain: chainName, upTo, ...counts }, "blocks.confirmed");
  return outcome;
}

/** Finds the height up to which blocks may be confirmed now. Null: nothing new. */
async function findNew(
  ports: Ports,
  of: AtHead,
): Promise<{ number: bigint; isAgreed: boolean } | null> {
  const { chainName, policy, position } = of;
  const confirmed = of.confirmedNumber ?? 0n;
  const tag = await readTag(ports.chain, policy);
  const tip = { ...position, timeMs: null };
  const reachable = await heightToConfirm(ports.ledger, { chainName, tip, tag, policy });
  if (reachable <= confirmed) return null;
  const asked = { ...of, tip, tag, ballot: null, readFrom: null };
  const confirmable = await findConfirmable(ports, asked);
  logDispute(ports.log, chainName, confirmable);
  const isNew = confirmable.kind === "confirmable" && confirmable.number > confirmed;
  return isNew ? confirmable : null;
}

/**
 * True if the losses of a reorg may be reported once `tip` is the position. The new branch must be
 * at least as high as the old one was. Enough endpoints must have its block at that height. They
 * are not asked about the tip, for they may be a block behind it whenever they are asked.
 */
export async function maySettle(
  {
    gate,
    ledger,
  }: { gate: Pick<AgreementGate, "isThere">; ledger: Pick<HeightLedger, "readHash"> },
  of: { chainName: string; settleNumber: bigint | null; tip: Position },
): Promise<boolean> {
  const { chainName, settleNumber, tip } = of;
  if (settleNumber === null || tip.number < settleNumber) return false;
  const isTip = settleNumber === tip.number;
  const hash = isTip ? tip.hash : await ledger.readHash(chainName, settleNumber);
  const block = hash === null ? tip : { number: settleNumber, hash };
  return (await gate.isThere({ what: "settlement", block })) !== "held";
}
