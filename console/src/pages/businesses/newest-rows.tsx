import type { ComponentChildren } from "preact";
import { text } from "../../text/text.ts";
import { Answered } from "../../ui/frame/answered.tsx";
import type { Answer } from "../../wire/use-answer.ts";

/** The most rows of a business that its panel shows. */
export const mostRows = 20;

type Shown<Row> = {
  answer: Answer<{ data: Row[] }>;
  again: () => void;
  /** The text without rows. */
  none: string;
  /** The address of the page with all rows. Left out: there is none. */
  all?: string;
  children: (rows: Row[]) => ComponentChildren;
};

/** The newest rows of what a business has, as a part of its panel, and the way to all rows. */
export function NewestRows<Row>({ answer, again, none, all, children }: Shown<Row>) {
  return (
    <Answered answer={answer} again={again} lines={4}>
      {({ data }) => (
        <div class="stack-tight">
          {data.length === 0 ? <p class="muted">{none}</p> : children(data)}
          {all !== undefined && data.length > 0 && (
            <div>
              <a class="button" href={all}>
                {text.businesses.showAll}
              </a>
            </div>
          )}
        </div>
      )}
    </Answered>
  );
}
