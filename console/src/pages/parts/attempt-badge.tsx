import { text, wordOf } from "../../text/text.ts";
import { Badge, type Tone } from "../../ui/show/badge.tsx";

/** The result of an attempt: the status that was answered, or why there was no answer. */
type Result = { status_code: number | null; error: string | null };

/** The result of an attempt in one word. */
export function AttemptBadge({ of }: { of: Result }) {
  return (
    <Badge tone={toneOf(of)}>{of.status_code ?? wordOf(text.attemptError, of.error ?? "")}</Badge>
  );
}

function toneOf({ status_code: code, error }: Result): Tone {
  if (error === "withheld") return "plain";
  return code !== null && code >= 200 && code < 300 ? "good" : "bad";
}
