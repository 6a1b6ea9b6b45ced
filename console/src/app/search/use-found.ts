import { useEffect, useState } from "preact/hooks";
import type { Session } from "../../wire/session.ts";
import { type Found, search } from "./search.ts";

type Sought = { found: readonly Found[] | null; isFailed: boolean };

// The wait after the last letter, in ms: not every letter causes a search.
const pauseMs = 180;

/**
 * The results for a text, sought after a pause in typing. Null while they are not known.
 * `isFailed`: the server could not answer.
 */
export function useFound(kind: Session["kind"], sought: string): Sought {
  const [answer, setAnswer] = useState<(Sought & { sought: string }) | null>(null);
  useEffect(() => {
    let isCurrent = true;
    const seek = async () => {
      const next = await readFound(kind, sought);
      if (isCurrent) setAnswer({ sought, ...next });
    };
    const timer = setTimeout(() => void seek(), pauseMs);
    return () => {
      isCurrent = false;
      clearTimeout(timer);
    };
  }, [sought, kind]);
  // The results of another text do not answer this one.
  return answer?.sought === sought ? answer : { found: null, isFailed: false };
}

async function readFound(kind: Session["kind"], sought: string): Promise<Sought> {
  try {
    return { found: sought === "" ? [] : await search(kind, sought), isFailed: false };
  } catch {
    return { found: [], isFailed: true };
  }
}
