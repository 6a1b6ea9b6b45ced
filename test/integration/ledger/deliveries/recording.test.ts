import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createAttemptRecorder } from "../../../../src/dispatcher/attempt-recorder.ts";
import type { Attempt } from "../../../../src/domain/delivery/attempt.ts";
import { beginClaims } from "../../../../src/ledger/deliveries/begin-claims.ts";
import { claimDeliveries } from "../../../../src/ledger/deliveries/claim-deliveries.ts";
import { listUnbegunClaims, sweepClaims } from "../../../../src/ledger/deliveries/reclaim.ts";
import { recordAttempts } from "../../../../src/ledger/deliveries/record-attempts.ts";
import { statementsOf } from "../../../../src/ledger/postgres/statements.ts";
import { inTransaction } from "../../../../src/ledger/postgres/transaction.ts";
import { systemClock } from "../../../../src/runtime/clock.ts";
import { waitFor } from "../../../support/wait-for.ts";
import { type Begun, recordsOf } from "./records-of.ts";
import { createSeededLedger, limits, type Seeded } from "./seed.ts";

const sweep = { schedule: [0, 10_000, 20_000], random: () => 0.5, limit: 100 };

let ledger: Seeded;

beforeEach(async () => {
  ledger = await createSeededLedger();
  await ledger.addDispatcher(100);
});

afterEach(() => ledger.close());

async function begin(): Promise<Begun> {
  const [claim] = await claimDeliveries(ledger.db, limits);
  if (claim === undefined) return { token: "", sends: [] };
  const { token } = claim;
  return {
    token,
    sends: await beginClaims(statementsOf(ledger.db).$queryRaw, {
      tokens: [token],
      leaseLeftMs: 20_000,
    }),
  };
}

async function beginNew(count: number): Promise<Begun> {
  const webhook = await ledger.addWebhook({ url: "https://a.example/" });
  await ledger.addDeliveries(webhook, { count });
  return begin();
}

async function webhookRow() {
  const [row] = await ledger.sql<{
    is_active: boolean;
    consecutive_failures: number;
    failing_since: Date | null;
    last_success_at: Date | null;
    disabled_reason: string | null;
  }>("SELECT * FROM webhook WHERE deleted_at IS NULL");
  return row;
}

const attempts = () =>
  ledger.sql<{ number: number; status_code: number; error_kind: string; response: string }>(
    "SELECT * FROM attempt ORDER BY id",
  );

describe("recording", () => {
  it("marks an accepted delivery as delivered, and its webhook as successful", async () => {
    const begun = await beginNew(2);
    const recorded = await recordAttempts(ledger.db, recordsOf(begun, 200));
    expect(recorded.movedDeliveryIds).toHaveLength(2);
    const rows = await ledger.deliveries();
    expect(rows.map(({ status }) => status)).toEqual(["delivered", "delivered"]);
    expect(rows[0]).toMatchObject({ attempts: 1, unrecorded: 0, claim_token: null });
    expect(await attempts()).toMatchObject([
      { number: 1, status_code: 200, error_kind: null, response: "said" },
      { number: 1 },
    ]);
    expect((await webhookRow())?.last_success_at).not.toBeNull();
  });

  it("schedules the next attempt by the database's clock, and counts the failure for the webhook", async () => {
    await recordAttempts(ledger.db, recordsOf(await beginNew(1), 500));
    const [row] = await ledger.deliveries();
    expect(row).toMatchObject({ status: "waiting", attempts: 1, claim_token: null });
    expect(row?.due_in_ms).toBeGreaterThan(30_000);
    expect(row?.due_in_ms).toBeLessThanOrEqual(60_000);
    expect(await webhookRow()).toMatchObject({ consecutive_failures: 1 });
  });

  it("ends a delivery whose schedule is used up", async () => {
    const [record] = recordsOf(await beginNew(1), 500);
    if (record === undefined) throw new Error("nothing begun");
    await recordAttempts(ledger.db, [{ ...record, next: { kind: "exhausted" } }]);
    expect(await ledger.deliveries()).toMatchObject([{ status: "exhausted", attempts: 1 }]);
  });

  it("marks a receiver that times out, until it answers again", async () => {
    const isTimingOut = async () =>
      (await ledger.sql<{ is_timing_out: boolean }>("SELECT is_timing_out FROM webhook"))[0]
        ?.is_timing_out;
    const [timedOut] = recordsOf(await beginNew(1), 500);
    if (timedOut === undefined) throw new Error("one was begun");
    await recordAttempts(ledger.db, [
      { ...timedOut, result: { kind: "unanswered", errorKind: "timeout" } },
    ]);
    expect(await isTimingOut()).toBe(true);
    await ledger.sql("UPDATE delivery SET due_at = now()");
    await recordAttempts(ledger.db, recordsOf(await begin(), 200));
    expect(await isTimingOut()).toBe(false);
  });

  it("deactivates the webhook on 410 and holds the rest", async () => {
    const { disabled } = await recordAttempts(ledger.db, recordsOf(await beginNew(1), 410));
    expect(disabled).toMatchObject([{ reason: "gone" }]);
    expect(await webhookRow()).toMatchObject({ is_active: false, disabled_reason: "gone" });
    expect(await ledger.deliveries()).toMatchObject([{ status: "waiting" }]);
    await ledger.sql("UPDATE delivery SET due_at = now()");
    expect(await claimDeliveries(ledger.db, limits)).toEqual([]);
  });

  it("deactivates a webhook that has failed for 5 days and at least 20 times, and not sooner", async () => {
    const begun = await beginNew(2);
    const [first, second] = recordsOf(begun, 500);
    if (first === undefined || second === undefined) throw new Error("nothing begun");
    await ledger.sql(
      "UPDATE webhook SET consecutive_failures = 18, failing_since = now() - interval '6 days'",
    );
    expect((await recordAttempts(ledger.db, [first])).disabled).toEqual([]);
    expect(await webhookRow()).toMatchObject({ is_active: true, consecutive_failures: 19 });
    expect((await recordAttempts(ledger.db, [second])).disabled).toMatchObject([
      { reason: "failing" },
    ]);
    expect(await webhookRow()).toMatchObject({ is_active: false, disabled_reason: "failing" });
  });

  it("does not deactivate for many failures in a short time", async () => {
    const begun = await beginNew(1);
    await ledger.sql(
      "UPDATE webhook SET consecutive_failures = 100, failing_since = now() - interval '4 days'",
    );
    expect((await recordAttempts(ledger.db, recordsOf(begun, 500))).disabled).toEqual([]);
  });

  it("resets the count of failures with a success", async () => {
    const begun = await beginNew(1);
    await ledger.sql("UPDATE webhook SET consecutive_failures = 7, failing_since = now()");
    await recordAttempts(ledger.db, recordsOf(begun, 200));
    expect(await webhookRow()).toMatchObject({ consecutive_failures: 0, failing_since: null });
  });

  it.each(["url = 'https://new.example/'", "secret_ciphertext = 'new'", "deleted_at = now()"])(
    "says nothing about a webhook whose %s since",
    async (change) => {
      const begun = await beginNew(1);
      await ledger.sql(`UPDATE webhook SET ${change}`);
      expect((await recordAttempts(ledger.db, recordsOf(begun, 410))).disabled).toEqual([]);
      const [row] = await ledger.sql("SELECT * FROM webhook");
      expect(row).toMatchObject({ is_active: true, consecutive_failures: 0 });
      expect(await ledger.deliveries()).toMatchObject([{ status: "waiting", attempts: 1 }]);
    },
  );

  it("logs the attempt but moves nothing when the claim was lost", async () => {
    const lost = await beginNew(1);
    await ledger.sql("UPDATE delivery SET claim_expires_at = now() - interval '1 second'");
    await sweepClaims(ledger.db, sweep);
    const held = await begin();
    const recorded = await recordAttempts(ledger.db, recordsOf(lost, 200));
    expect(recorded.movedDeliveryIds).toEqual([]);
    expect(await ledger.deliveries()).toMatchObject([
      { status: "waiting", claim_token: held.token },
    ]);
    expect(await attempts()).toHaveLength(1);
  });

  it("is safe to repeat", async () => {
    const records = recordsOf(await beginNew(2), 500);
    await recordAttempts(ledger.db, records);
    expect((await recordAttempts(ledger.db, records)).movedDeliveryIds).toEqual([]);
    expect(await attempts()).toHaveLength(2);
    expect((await ledger.deliveries()).map((row) => row.attempts)).toEqual([1, 1]);
  });

  it("counts the failures of a repeated record once", async () => {
    const [first, second] = recordsOf(await beginNew(2), 500);
    if (first === undefined || second === undefined) throw new Error("nothing begun");
    await recordAttempts(ledger.db, [first]);
    expect(await recordAttempts(ledger.db, [first, second], true)).toMatchObject({
      repeated: 1,
      movedDeliveryIds: [second.deliveryId],
    });
    expect(await webhookRow()).toMatchObject({ consecutive_failures: 2 });
    expect(await attempts()).toHaveLength(2);
  });

  /** An attempt whose claim has ended, and the next one of the same delivery. */
  async function sentTwice(lostStatus: number): Promise<Record<"lost" | "held", Attempt[]>> {
    const lost = recordsOf(await beginNew(1), lostStatus);
    await ledger.sql("UPDATE delivery SET claim_expires_at = now() - interval '1 second'");
    await sweepClaims(ledger.db, sweep);
    const held = recordsOf(await begin(), 200).map((record) => ({
      ...record,
      startedAt: new Date(record.startedAt.getTime() + 1_000),
    }));
    return { lost, held };
  }

  it("logs the attempt of an ended claim beside that of the next one", async () => {
    const { lost, held } = await sentTwice(500);
    await recordAttempts(ledger.db, lost);
    await recordAttempts(ledger.db, held);
    expect(await attempts()).toMatchObject([
      { number: 1, status_code: 500 },
      { number: 2, status_code: 200 },
    ]);
    expect(await ledger.deliveries()).toMatchObject([{ status: "delivered" }]);
  });

  it("logs both where one batch has them", async () => {
    const { lost, held } = await sentTwice(500);
    await recordAttempts(ledger.db, [...lost, ...held]);
    expect(await attempts()).toMatchObject([
      { number: 1, status_code: 500 },
      { number: 2, status_code: 200 },
    ]);
    await recordAttempts(ledger.db, [...held, ...lost]);
    expect(await attempts()).toHaveLength(2);
  });

  const waiting = async () => {
    const [row] = await ledger.sql<{ count: number }>(
      `SELECT count(*)::int FROM pg_stat_activity
       WHERE datname = current_database() AND wait_event_type = 'Lock'`,
    );
    return row?.count;
  };

  it("logs both where two dispatchers record them at once", async () => {
    const { lost, held } = await sentTwice(200);
    // A healthy webhook that was written just now is not locked.
    await ledger.sql("UPDATE webhook SET last_success_at = now() + interval '1 hour'");
    const { recording } = await inTransaction(ledger.db, async (tx) => {
      await tx.$queryRaw`SELECT 1 FROM delivery FOR UPDATE`;
      const both = [lost, held].map((records) => recordAttempts(ledger.db, records));
      await waitFor(async () => (await waiting()) === both.length, {
        what: "both transactions at the lock",
        timeoutMs: 10_000,
      });
      return { recording: both };
    });
    await Promise.all(recording);
    expect(await attempts()).toMatchObject([{ number: 1 }, { number: 2 }]);
  });

  it("goes on numbering attempts when the schedule begins anew", async () => {
    await recordAttempts(ledger.db, recordsOf(await beginNew(1), 500));
    await ledger.sql("UPDATE delivery SET attempts = 0, due_at = now()");
    const begun = await begin();
    expect(begun.sends).toMatchObject([{ attempt: 1, number: 2 }]);
    await recordAttempts(ledger.db, recordsOf(begun, 200));
    expect(await attempts()).toMatchObject([{ number: 1 }, { number: 2 }]);
  });

  it("records all of a batch but the one that PostgreSQL refuses", async () => {
    const records = recordsOf(await beginNew(8), 200);
    const poisoned = records.map(
      (record, index): Attempt =>
        index === 5
          ? {
              ...record,
              result: { kind: "answered", statusCode: 200, retryAfterMs: null, response: "\u0000" },
            }
          : record,
    );
    const recorder = createAttemptRecorder<Attempt>({
      write: async (batch) => void (await recordAttempts(ledger.db, batch)),
      batchSize: 100,
      lingerMs: 1,
      clock: systemClock,
    });
    const ends = await Promise.allSettled(poisoned.map(recorder.record));
    await recorder.stop();
    expect(ends.filter(({ status }) => status === "rejected")).toHaveLength(1);
    const waiting = (await ledger.deliveries()).filter(({ status }) => status === "waiting");
    expect(waiting.map(({ id }) => id)).toEqual([records[5]?.deliveryId]);
  });
});

describe("the sweep", () => {
  it("makes an expired claim due again", async () => {
    await beginNew(2);
    expect(await sweepClaims(ledger.db, sweep)).toEqual({ freed: 0, postponed: 0 });
    await ledger.sql("UPDATE delivery SET claim_expires_at = now() - interval '1 second'");
    expect(await sweepClaims(ledger.db, sweep)).toEqual({ freed: 2, postponed: 0 });
    expect((await begin()).sends).toHaveLength(2);
  });

  it("I8: a delivery that was sent three times without a record waits for its next attempt", async () => {
    let begun = await beginNew(1);
    for (let send = 1; send <= 3; send += 1) {
      expect(begun.sends).toHaveLength(1);
      await ledger.sql("UPDATE delivery SET claim_expires_at = now() - interval '1 second'");
      const expected = send < 3 ? { freed: 1, postponed: 0 } : { freed: 0, postponed: 1 };
      expect(await sweepClaims(ledger.db, sweep)).toEqual(expected);
      begun = await begin();
    }
    expect(begun.sends).toEqual([]);
    const [row] = await ledger.deliveries();
    expect(row).toMatchObject({ status: "waiting", attempts: 1, unrecorded: 0 });
    expect(row?.due_in_ms).toBeGreaterThan(5_000);
    expect(await attempts()).toMatchObject([{ number: 1, error_kind: "unrecorded" }]);
  });

  it("ends a delivery that was never recorded when its schedule is used up", async () => {
    await beginNew(1);
    await ledger.sql(
      "UPDATE delivery SET claim_expires_at = now() - interval '1 second', unrecorded = 3, attempts = 2",
    );
    expect(await sweepClaims(ledger.db, sweep)).toEqual({ freed: 0, postponed: 1 });
    expect(await ledger.deliveries()).toMatchObject([{ status: "exhausted", attempts: 3 }]);
  });

  it("lists the claims that nobody has begun for a while, oldest first", async () => {
    const webhook = await ledger.addWebhook({ url: "https://a.example/" });
    await ledger.addDeliveries(webhook, { count: 2 });
    const [claim] = await claimDeliveries(ledger.db, limits);
    const options = { leaseMs: 60_000, olderThanMs: 5_000, limit: 10 };
    expect(await listUnbegunClaims(ledger.db, options)).toEqual([]);
    await ledger.sql(
      "UPDATE delivery SET claim_expires_at = now() - interval '1 second' + interval '50 seconds'",
    );
    const [listed] = await listUnbegunClaims(ledger.db, options);
    expect(listed?.token).toBe(claim?.token);
    expect(listed?.ageMs).toBeGreaterThanOrEqual(10_000);
    await beginClaims(statementsOf(ledger.db).$queryRaw, {
      tokens: [claim?.token ?? ""],
      leaseLeftMs: 20_000,
    });
    expect(await listUnbegunClaims(ledger.db, options)).toEqual([]);
  });
});
