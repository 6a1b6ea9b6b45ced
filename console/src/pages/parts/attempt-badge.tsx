import { text, wordOf } from "../../text/text.ts";
import { Badge, type Tone } from "../../ui/show/badge.tsx";
import type { Schema } from "../../wire/api.ts";

/** The result of an attempt: the status that was answered, or why there was no answer. */
type Result = Pick<Schema<"Attempt">, "status_code" | "error">;

/** The result of an attempt in one word. */
export function AttemptBadge({ of }: { of: Result }) {
  return <Badge tone={toneOf(of)}>{resultText(of)}</Badge>;
}

/** The status of an answer, or the reason why there is none. */
export function resultText({ status_code: code, error }: Result): string {
  if (code !== null) return String(code);
  return error === null ? "" : wordOf(text.attemptError, error);
}

function toneOf({ status_code: code, error }: Result): Tone {
  if (error === "withheld") return "plain";
  return code !== null && code >= 200 && code < 300 ? "good" : "bad";
}
