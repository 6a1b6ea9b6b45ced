import type { ComponentChildren } from "preact";
import { fill, text } from "../../text/text.ts";
import type { Answer } from "../../wire/use-answer.ts";
import { faultText } from "../show/fault-text.ts";
import { Failure } from "./failure.tsx";
import { Waiting } from "./waiting.tsx";

type Shown<T> = {
  answer: Answer<T>;
  again: () => void;
  lines?: number;
  children: (value: T) => ComponentChildren;
};

/**
 * An answer in each of its states: awaited, failed, there, or there and about to be replaced. Says
 * so where it could not be replaced.
 */
export function Answered<T>({ answer, again, lines = 6, children }: Shown<T>) {
  if (answer.state === "loading") return <Waiting lines={lines} />;
  if (answer.state === "failed") return <Failure fault={answer.fault} onAgain={again} />;
  const { value, isStale, fault } = answer;
  return (
    <div class={isStale ? "stale" : ""}>
      {fault !== null && (
        <p class="card-body small" role="status">
          {fill(text.common.notReadAgain, { why: faultText(fault) })}
        </p>
      )}
      {children(value)}
    </div>
  );
}
