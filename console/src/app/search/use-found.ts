import { useEffect, useState } from "preact/hooks";
import type { Session } from "../../wire/session.ts";
import { type Found, search } from "./search.ts";

// Somebody who types is not asked for at each letter.
const pauseMs = 180;

/** What is found for a text, once nobody has typed for a moment; null while that is not known. */
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
  // What was found for another text is no answer to this one.
  return answer?.sought === sought ? answer.found : null;
}
