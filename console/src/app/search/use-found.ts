import { useEffect, useState } from "preact/hooks";
import type { Session } from "../../wire/session.ts";
import { type Found, search } from "./search.ts";

// The wait after the last letter, in ms: not every letter causes a search.
const pauseMs = 180;

/** The results for a text, sought after a pause in typing. Null while they are not known. */
export function useFound(kind: Session["kind"], sought: string): readonly Found[] | null {
  const [answer, setAnswer] = useState<{ sought: string; found: readonly Found[] } | null>(null);
  useEffect(() => {
    let isCurrent = true;
    const seek = async () => {
      const found = sought === "" ? [] : await search(kind, sought);
      if (isCurrent) setAnswer({ sought, found });
    };
    const timer = setTimeout(() => void seek(), pauseMs);
    return () => {
      isCurrent = false;
      clearTimeout(timer);
    };
  }, [sought, kind]);
  // The results of another text do not answer this one.
  return answer?.sought === sought ? answer.found : null;
}
