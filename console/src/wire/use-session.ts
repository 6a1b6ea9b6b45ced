import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { Session } from "./session.ts";

/** The session, for everything that is shown within it. */
export const SessionContext = createContext<Session | null>(null);

/**
 * The session of the person who is signed in. `mayChange`: false for a viewer.
 * @throws Error outside of a session
 */
export function useSession(): { session: Session; mayChange: boolean } {
  const session = useContext(SessionContext);
  if (session === null) throw new Error("there is no session here");
  return { session, mayChange: session.role !== "viewer" };
}
