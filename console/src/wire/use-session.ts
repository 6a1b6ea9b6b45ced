import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { BusinessRight, OperatorRight, Session } from "./session.ts";

/** The session, for everything that is shown within it. */
export const SessionContext = createContext<Session | null>(null);

/** The right that a deed needs, by the kind of the session. Left out: that kind may not do it. */
export type Needs = { business?: BusinessRight; operator?: OperatorRight };

/**
 * The session of the person who is signed in. `may`: false if the server would refuse it now.
 * @throws Error outside of a session
 */
export function useSession(): { session: Session; may: (needs: Needs) => boolean } {
  const session = useContext(SessionContext);
  if (session === null) throw new Error("there is no session here");
  return { session, may: (needs) => has(session, needs) };
}

/** True if the session has the right that is needed. */
export function has({ kind, rights }: Session, needs: Needs): boolean {
  const right = needs[kind];
  return right !== undefined && rights.includes(right);
}

/** The need of everything that only reads. */
export const reading: Needs = { business: "read", operator: "read" };
