import type { ComponentChildren } from "preact";
import type { Answer } from "../../wire/use-answer.ts";
import { Answered } from "../frame/answered.tsx";
import { Card } from "../frame/card.tsx";
import { Pager } from "./pager.tsx";

type Shown<Row> = {
  title?: string;
  /** At the end of the title's line. */
  aside?: ComponentChildren;
  answer: Answer<{ data: Row[]; next_cursor: string | null }>;
  again: () => void;
  empty: ComponentChildren;
  children: (rows: Row[]) => ComponentChildren;
};

/** One page of a list on a card, with the way to the other pages. An empty list shows `empty`. */
export function ListCard<Row>({ answer, again, empty, children, ...head }: Shown<Row>) {
  return (
    <Card {...head} isFull={true}>
      <Answered answer={answer} again={again} lines={10}>
        {({ data, next_cursor: next }) =>
          data.length === 0 ? (
            empty
          ) : (
            <>
              {children(data)}
              <Pager next={next} count={data.length} />
            </>
          )
        }
      </Answered>
    </Card>
  );
}
