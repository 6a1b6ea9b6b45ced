import { text } from "../../text/text.ts";

/** A placeholder while an answer is awaited. */
export function Waiting({ lines = 6 }: { lines?: number }) {
  return (
    <div class="card-body stack" role="status">
      <span class="unseen">{text.common.loading}</span>
      <span />
      {Array.from({ length: lines }, (_, line) => (
        <div class="skeleton" key={line} />
      ))}
    </div>
  );
}
