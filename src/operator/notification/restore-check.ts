import { requireId } from "../../domain/not-found.ts";
import type { Recovery, RecoveryQuestion } from "../../domain/recovery.ts";
import { invalidField } from "../../domain/text.ts";
import { heightOf } from "../../schema/answers.ts";
import { defineCommand } from "../define-command.ts";
import { moment, optional, required, text } from "../parameter.ts";

type Ports = {
  ledger: { readRecovery: (asked: RecoveryQuestion) => Promise<Recovery> };
  clock: { now: () => number };
};

type Input = { since: Date; business: string | undefined };

/**
 * Says what will be announced again after a restore, or after a failover to a replica that was
 * behind. Says why, and whether the ids are the same as before
 * (docs/operations.md#after-a-restore). Changes nothing. Safe before the daemon starts and while it
 * runs.
 * @throws Fault `invalid_request` for a time that is to come
 */
export const restoreCheck = defineCommand({
  noun: "restore",
  name: "check",
  formerly: "recover",
  help: "After a restore or a failover, say what is announced once more, why, and whether with the same ids. Status 3 where the ids are others.",
  examples: [
    "restore check --since 2026-01-31T12:00:00Z",
    "restore check --since 2026-01-31 --business 018f… --json",
  ],
  takes: {
    since: required("--since <time>", moment, "when the backup or the replica ends"),
    business: optional("--business <id>", text, "of this business alone"),
  },
  async run({ ledger, clock }: Ports, { since, business }: Input) {
    // It would find that nothing was written since, and that every id is the same.
    if (since.getTime() > clock.now()) throw invalidField("since", "must be a time that is over");
    const businessId = business === undefined ? null : requireId(business, "business_not_found");
    const asked = { since, businessId };
    return present(asked, await ledger.readRecovery(asked));
  },
  hasFindings: ({ same_ids }) => !same_ids,
});

function present({ since, businessId }: RecoveryQuestion, recovery: Recovery) {
  const { idKey, idKeyMadeAt, chains, waiting, written } = recovery;
  const otherIdsUntil = idKeyMadeAt !== null && idKeyMadeAt > since ? idKeyMadeAt : null;
  return {
    since: since.toISOString(),
    business_id: businessId,
    id_key: idKey,
    same_ids: otherIdsUntil === null,
    chains: chains.map(({ name, position, pending }) => ({
      name,
      read_up_to: heightOf(position?.number ?? null),
      read_up_to_time: position?.time?.toISOString() ?? null,
      pending,
    })),
    waiting: { count: waiting.count, oldest_at: waiting.oldestAt?.toISOString() ?? null },
    written_since: written,
    why: [
      otherIdsUntil === null ? sameIds : otherIds(otherIdsUntil),
      ...chains.flatMap(readAgain),
      ...(waiting.count > 0 ? [sentAgain(waiting.count)] : []),
    ],
  };
}

const sameIds =
  "A notification that is announced once more keeps its id. A receiver that remembers ids acts on it once.";

function otherIds(madeAt: Date): string {
  return `Ids are derived since ${madeAt.toISOString()}, after the given time. Notifications of between that are not in this database are announced under another id.`;
}

function readAgain({ name, position, pending }: Recovery["chains"][number]): string[] {
  if (position === null) return [];
  const blocks = `${name}: blocks above ${position.number} are read again, and what is in them is recorded and announced.`;
  if (pending === 0) return [blocks];
  return [
    blocks,
    `${name}: transactions that are pending here (${pending}) are announced once their outcome is known.`,
  ];
}

function sentAgain(count: number): string {
  return `Notifications that wait here (${count}) are sent: this database does not know whether they were delivered.`;
}
