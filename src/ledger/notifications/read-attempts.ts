import type { RecordedAttempt, SealedKeys } from "../../domain/delivery/recorded-notification.ts";
import type { Statements } from "../postgres/statements.ts";

type AttemptRow = Omit<RecordedAttempt, "request"> & {
  /**
   * The header names of the webhook version that sent it; null: none were kept, or the webhook is
   * gone.
   */
  headerNames: string[] | null;
  previousId: string | null;
  /** Null: there was none, or it is gone. The marks say which. */
  signing: string | null;
  next: string | null;
  pair: string | null;
  nextPair: string | null;
  hasNext: boolean;
  isGone: boolean;
};

/**
 * Reads every attempt of a notification, oldest first, with the webhook's settings of that time. A
 * stored digest shows whether the webhook still has the secret that signed. The overlap of a
 * rotation ends by itself, so the time of an attempt decides which secrets signed it.
 */
export async function readAttempts(
  tx: Statements,
  notificationId: string,
): Promise<RecordedAttempt[]> {
  const rows = await tx.$queryRaw<AttemptRow[]>`
    SELECT a.webhook_id AS "webhookId", a.number, coalesce(v.url, w.url) AS url, a.started_at AS "startedAt",
      a.latency_ms AS "latencyMs", a.status_code AS "statusCode", a.error_kind AS "errorKind", a.response,
      a.status_code IS NOT NULL AND a.response IS NULL AS "isWithheld", a.next_due_at AS "nextDueAt",
      v.header_names AS "headerNames", CASE WHEN d.webhook_id = a.webhook_id THEN d.previous_id END AS "previousId",
      k.signing, k.next, k.pair, k."nextPair", s.next IS NOT NULL AS "hasNext",
      s.signing IS NOT NULL AND k.signing IS NULL OR s.next IS NOT NULL AND k.next IS NULL
        OR s.pair IS NOT NULL AND k.pair IS NULL OR s.next_pair IS NOT NULL AND k."nextPair" IS NULL AS "isGone"
    FROM attempt a JOIN delivery d ON d.id = a.delivery_id
      LEFT JOIN webhook w ON w.id = a.webhook_id
      LEFT JOIN webhook_version v ON v.webhook_id = a.webhook_id AND v.version = a.webhook_version
      LEFT JOIN LATERAL (
        SELECT v.overlap_ends_at <= a.started_at AS "isOver", v.overlap_ends_at > a.started_at AS "isOverlap"
      ) o ON true
      LEFT JOIN LATERAL (
        SELECT CASE WHEN o."isOver" THEN v.next_secret_mark ELSE v.secret_mark END AS signing,
          CASE WHEN o."isOverlap" THEN v.next_secret_mark END AS next,
          CASE WHEN o."isOverlap" THEN v.ed25519_mark ELSE coalesce(v.next_ed25519_mark, v.ed25519_mark) END AS pair,
          CASE WHEN o."isOverlap" THEN v.next_ed25519_mark END AS next_pair
      ) s ON true
      LEFT JOIN LATERAL (
        SELECT
          CASE s.signing WHEN sha256(convert_to(w.secret_ciphertext, 'UTF8')) THEN w.secret_ciphertext
            WHEN sha256(convert_to(w.next_secret_ciphertext, 'UTF8')) THEN w.next_secret_ciphertext END AS signing,
          CASE s.next WHEN sha256(convert_to(w.secret_ciphertext, 'UTF8')) THEN w.secret_ciphertext
            WHEN sha256(convert_to(w.next_secret_ciphertext, 'UTF8')) THEN w.next_secret_ciphertext END AS next,
          CASE s.pair WHEN sha256(convert_to(w.ed25519_ciphertext, 'UTF8')) THEN w.ed25519_ciphertext
            WHEN sha256(convert_to(w.next_ed25519_ciphertext, 'UTF8')) THEN w.next_ed25519_ciphertext END AS pair,
          CASE s.next_pair WHEN sha256(convert_to(w.ed25519_ciphertext, 'UTF8')) THEN w.ed25519_ciphertext
            WHEN sha256(convert_to(w.next_ed25519_ciphertext, 'UTF8')) THEN w.next_ed25519_ciphertext END AS "nextPair"
      ) k ON true
    WHERE d.notification_id = ${notificationId}::uuid ORDER BY a.id`;
  return rows.map(
    ({ headerNames, previousId, hasNext, signing, next, pair, nextPair, ...rest }) => {
      const { isGone, ...row } = rest;
      const keys = isGone ? null : keysOf({ signing, next, pair, nextPair });
      const request = headerNames === null ? null : { headerNames, previousId, hasNext, keys };
      return { ...row, request };
    },
  );
}

function keysOf(
  row: Pick<AttemptRow, "signing" | "next" | "pair" | "nextPair">,
): SealedKeys | null {
  if (row.signing === null) return null;
  return {
    signingCiphertext: row.signing,
    nextCiphertext: row.next,
    ed25519Ciphertext: row.pair,
    nextEd25519Ciphertext: row.nextPair,
  };
}
