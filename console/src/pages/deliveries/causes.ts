import type { components } from "../../wire/generated/api-paths.ts";

type Notification = Pick<
  components["schemas"]["Notification"],
  "status" | "created_at" | "last_attempt"
>;

type Attempt = components["schemas"]["LastAttempt"];

/** Notifications whose last attempt ended in the same way. */
export type Cause<Row> = {
  /** The status of the answer, or the reason why there is none. */
  id: string;
  /** The newest of their attempts: a sample. */
  last: Attempt;
  /** The time of the oldest notification. */
  since: string;
  rows: readonly Row[];
};

/** The causes for which notifications were not accepted, the most frequent first. */
export function causesIn<Row extends Notification>(rows: readonly Row[]): Cause<Row>[] {
  const causes = new Map<string, Cause<Row>>();
  for (const row of rows) {
    const { last_attempt: last, created_at: at } = row;
    if (last === null) continue;
    const id = String(last.status_code ?? last.error);
    const known = causes.get(id);
    causes.set(id, {
      id,
      last: known === undefined || last.at > known.last.at ? last : known.last,
      since: known === undefined || at < known.since ? at : known.since,
      rows: [...(known?.rows ?? []), row],
    });
  }
  return [...causes.values()].sort((one, other) => other.rows.length - one.rows.length);
}
