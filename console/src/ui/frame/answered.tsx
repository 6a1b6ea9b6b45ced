import type { ComponentChildren } from "preact";
import type { Answer } from "../../wire/use-answer.ts";
import { Failure } from "./failure.tsx";
import { Waiting } from "./waiting.tsx";

type Shown<T> = {
  answer: Answer<T>;
  again: () => void;
  lines?: number;
  children: (value: T) => ComponentChildren;
};

/** An answer in each of its states: awaited, failed, there, or there and about to be replaced. */
export function Answered<T>({ answer, again, lines = 6, children }: Shown<T>) {
  if (answer.state === "loading") return <Waiting lines={lines} />;
  if (answer.state === "failed") return <Failure fault={answer.fault} onAgain={again} />;
  return <div class={answer.isStale ? "stale" : ""}>{children(answer.value)}</div>;
}
