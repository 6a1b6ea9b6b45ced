import { alertKinds, runbookOf, type Severity } from "./alert-kinds.ts";
import type { AlertNews } from "./decide.ts";
import { lengthText } from "./length-text.ts";

/**
 * A message with the news of one test, stored unchanged. It is the body for a webhook, and other
 * channels' texts are made from it. Times are ISO 8601.
 */
export type AlertMessage = {
  /** The same at each attempt and on each channel. */
  id: string;
  event: "alerts";
  created_at: string;
  /** The id of the database that the alerts are about. */
  installation: string;
  alerts: readonly ShownAlert[];
};

type ShownAlert = {
  name: string;
  status: AlertNews["news"];
  severity: Severity;
  /** The object of the alert, such as a chain; null if the kind has only one. */
  subject: string | null;
  summary: string;
  since: string;
  /** A section of a page of this repository. */
  runbook: string;
};

export function messageOf(
  news: readonly AlertNews[],
  { id, installation, atMs }: { id: string; installation: string; atMs: number },
): AlertMessage {
  return {
    id,
    event: "alerts",
    created_at: new Date(atMs).toISOString(),
    installation,
    alerts: news.map((one) => ({
      name: one.kind,
      status: one.news,
      severity: alertKinds[one.kind].severity,
      subject: one.subject === "" ? null : one.subject,
      summary: one.summary,
      since: new Date(one.sinceMs).toISOString(),
      runbook: runbookOf(one.kind),
    })),
  };
}

/** Sorts alerts: open before resolved ones, and critical ones before warnings. */
export function worstFirst(alerts: readonly ShownAlert[]): ShownAlert[] {
  const rank = ({ status, severity }: ShownAlert) =>
    (status === "resolved" ? 2 : 0) + (severity === "critical" ? 0 : 1);
  return [...alerts].sort((one, other) => rank(one) - rank(other));
}

/** One line: the number of alerts, and the first of them. */
export function titleOf({ alerts }: AlertMessage): string {
  const open = alerts.filter(({ status }) => status !== "resolved");
  const [first] = open.length > 0 ? open : alerts;
  const resolved = alerts.length - open.length;
  const counts = [
    ...(open.length > 0 ? [`${open.length} alert${open.length === 1 ? "" : "s"}`] : []),
    ...(resolved > 0 ? [`${resolved} resolved`] : []),
  ];
  return `Chainbell: ${counts.join(", ")}${first === undefined ? "" : `, ${labelOf(first)}`}`;
}

const words = { began: "began", lasts: "goes on", resolved: "is over" } as const;

/** The message as lines for people. Each alert has its name, summary, time and runbook. */
export function linesOf({ alerts, created_at, installation }: AlertMessage): string[] {
  return [
    ...alerts.flatMap((one) => {
      const lasted = lengthText(Date.parse(created_at) - Date.parse(one.since));
      return [
        `[${one.severity}] ${labelOf(one)} ${words[one.status]}: ${one.summary}`,
        `  since ${one.since} (${lasted}); ${one.runbook}`,
      ];
    }),
    `Installation ${installation}.`,
  ];
}

function labelOf({ name, subject }: ShownAlert): string {
  return subject === null ? name : `${name} (${subject})`;
}
