import { useEffect, useState } from "preact/hooks";
import type { Session } from "../../wire/session.ts";
import { type Found, search } from "./search.ts";

// Somebody who types is not asked for at each letter.
const pauseMs = 180;

/** What is found for a text, once nobody has typed for a moment; empty for none. */
export function useFound(kind: Session["kind"], sought: string): readonly Found[] {
  const [found, setFound] = useState<readonly Found[]>([]);
  useEffect(() => {
    let isCurrent = true;
    const seek = async () => {
      const next = sought === "" ? [] : await search(kind, sought);
      if (isCurrent) setFound(next);
    };
    const timer = setTimeout(() => void seek(), pauseMs);
    return () => {
      isCurrent = false;
      clearTimeout(timer);
    };
  }, [sought, kind]);
  return found;
}
