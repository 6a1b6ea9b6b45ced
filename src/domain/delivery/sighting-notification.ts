import { toChecksum } from "../chain/checksum.ts";
import type { MovementProof } from "../money/movement.ts";
import { sightedState, sightingEvent } from "./notification.ts";

/** The sighting of a notification. Addresses are in lower case. */
export type SightingSubject = {
  sightingId: string;
  chainName: string;
  walletId: string;
  label: string | null;
  reference: string | null;
  contract: string;
  /** The symbol that the contract gives itself. Null: it gives none, or did not answer. */
  symbol: string | null;
  amountAtomic: bigint;
  txHash: string;
  fromAddress: string;
  toAddress: string;
  /** See ListedTransaction. */
  lookalikeOf: string | null;
  blockNumber: bigint;
  blockHash: string;
  logIndex: number;
  proof: MovementProof;
};

/**
 * The content of a body about a sighting. `src/schema/notification.ts` describes each field, and
 * does not compile if one is missing. Nothing in it may look like an amount of an asset.
 */
export type SightingContent = {
  id: string;
  event: typeof sightingEvent;
  timestamp: string;
  data: {
    sightingId: string;
    walletId: string;
    label: string | null;
    reference: string | null;
    blockchain: string;
    contract: string;
    unverifiedSymbol: string | null;
    rawAmount: string;
    txHash: string;
    fromAddress: string;
    toAddress: string;
    blockNumber: number;
    blockHash: string;
    logIndex: number;
    proof: MovementProof;
    /** Present only if the sender looks like an address that the wallet has paid. */
    lookalikeOf?: string;
    status: typeof sightedState;
  };
};

/**
 * The body of a notification about a sighting. The same input always gives the same text.
 * `happenedAt`: when the sighting was reported.
 */
export function sightingNotificationBody(notification: {
  id: string;
  happenedAt: Date;
  subject: SightingSubject;
}): string {
  const { id, happenedAt, subject } = notification;
  return JSON.stringify({
    id,
    event: sightingEvent,
    timestamp: happenedAt.toISOString(),
    data: {
      sightingId: subject.sightingId,
      walletId: subject.walletId,
      label: subject.label,
      reference: subject.reference,
      blockchain: subject.chainName,
      contract: toChecksum(subject.contract),
      unverifiedSymbol: subject.symbol,
      rawAmount: subject.amountAtomic.toString(),
      txHash: subject.txHash,
      fromAddress: toChecksum(subject.fromAddress),
      toAddress: toChecksum(subject.toAddress),
      blockNumber: Number(subject.blockNumber),
      blockHash: subject.blockHash,
      logIndex: subject.logIndex,
      proof: subject.proof,
      ...(subject.lookalikeOf === null ? {} : { lookalikeOf: toChecksum(subject.lookalikeOf) }),
      status: sightedState,
    },
  } satisfies SightingContent);
}
