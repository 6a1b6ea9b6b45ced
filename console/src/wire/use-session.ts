import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { Session } from "./session.ts";

/** Whose session it is, for all that is shown within it. */
export const SessionContext = createContext<Session | null>(null);

/** Who is signed in, and whether they may change anything. Only within a session. */
export function useSession(): { session: Session; mayChange: boolean } {
  const session = useContext(SessionContext);
  if (session === null) throw new Error("there is no session here");
  return { session, mayChange: session.role !== "viewer" };
}
