import type { Position } from "../../domain/chain/block.ts";
import { type ConfirmationPolicy, confirmedHeight } from "../../domain/chain/confirmation.ts";
import type { ConfirmOutcome } from "../../domain/watch/commit.ts";
import type { HeadLedger } from "../../domain/watch/watcher-ledger.ts";
import type { Logger } from "../../runtime/logger.ts";
import { type ConfirmingChain, findConfirmable, readTag } from "../confirmable.ts";
import { logDispute } from "../report-commit.ts";

type Promoted = Extract<ConfirmOutcome, { kind: "promoted" }>;

/**
 * Confirms what may be confirmed although there is no new block: a tag has moved, or another endpoint agrees by now.
 * Where the policy's depth has confirmed all that it can, nobody is asked. Safe to repeat.
 */
export async function confirmAtHead(
  ports: {
    chain: ConfirmingChain;
    ledger: Pick<HeadLedger, "readHash" | "confirmUpTo">;
    log: Logger;
  },
  of: {
    chainName: string;
    policy: ConfirmationPolicy;
    position: Position;
    /** Null: nothing is confirmed yet. */
    confirmedNumber: bigint | null;
  },
): Promise<Promoted | { kind: "nothing_new" }> {
  const { chainName, policy, position } = of;
  const confirmed = of.confirmedNumber ?? 0n;
  const tag = await readTag(ports.chain, policy);
  const reachable = confirmedHeight(position.number, policy, tag?.number ?? null);
  if (reachable <= confirmed) return { kind: "nothing_new" };
  const asked = { chainName, tip: position, tag, policy, witness: null };
  const confirmable = await findConfirmable(ports, asked);
  logDispute(ports.log, chainName, confirmable);
  if (confirmable.kind !== "confirmable" || confirmable.number <= confirmed)
    return { kind: "nothing_new" };
  const upTo = confirmable.number;
  const outcome = await ports.ledger.confirmUpTo({ chainName, position, upTo });
  if (outcome.kind === "position_moved") return { kind: "nothing_new" };
  ports.log.info({ chain: chainName, upTo, ...outcome }, "blocks.confirmed");
  return outcome;
}
