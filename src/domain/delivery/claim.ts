import type { SealedOutbound } from "../webhook/outbound.ts";

/** A claim's lease, in ms (docs/invariants.md#i7): four times what one delivery may take. */
export const claimLeaseMs = 60_000;

/** Some due deliveries of one webhook under one lease token: what becomes one job of the queue. */
export type Claim = { token: string; webhookId: string; deliveries: number };

/** A claim as the queue carries it: its token and how many deliveries it has, never a body, URL or secret. */
export type QueuedClaim = Pick<Claim, "token" | "deliveries">;

/** A claim that no dispatcher has begun to send, and how long ago it was made. */
export type UnbegunClaim = Pick<Claim, "token"> & { ageMs: number };

/** Claims whose lease has run out: `freed` deliveries are due at once; `postponed` ones were sent too often without a record and wait by the schedule. */
export type Swept = { freed: number; postponed: number };

/** What it takes to send one delivery of a claim, as it is at the moment when the claim begins. */
export type Send = Pick<Claim, "token" | "webhookId"> &
  SealedOutbound & {
    deliveryId: string;
    /** Null: the notification is of none. */
    transactionId: string | null;
    notificationId: string;
    businessId: string;
    url: string;
    /** With `url`, what the outcome is compared with: it says nothing about a webhook that was changed meanwhile. */
    secretCiphertext: string;
    /** What signs: the webhook's secret at this moment. Another than `secretCiphertext` once an overlap has ended. */
    signingCiphertext: string;
    /** What signs beside it while a rotation overlaps. */
    nextCiphertext: string | null;
    body: string;
    /** The place in the schedule of the attempt that begins, from 1. */
    attempt: number;
    /** Its number in the log, from 1: the schedule may have begun anew, the log has not. */
    number: number;
    maxAttempts: number | null;
    /** When this attempt became due, and when it was claimed, both by the database's clock. */
    dueAt: Date;
    claimedAt: Date;
  };
