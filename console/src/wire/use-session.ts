import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { Scope, Session } from "./session.ts";

/** The session, for everything that is shown within it. */
export const SessionContext = createContext<Session | null>(null);

/**
 * The session of the person who is signed in. `mayChange`: false for a viewer, and for a token with
 * scopes that `scope` is not among.
 * @throws Error outside of a session
 */
export function useSession(): { session: Session; mayChange: (scope: Scope | null) => boolean } {
  const session = useContext(SessionContext);
  if (session === null) throw new Error("there is no session here");
  return {
    session,
    mayChange: (scope) => session.role !== "viewer" && (scope === null || has(session, scope)),
  };
}

/** True if the session has the scope, or no limits by scopes. */
export function has({ scopes }: Session, scope: Scope): boolean {
  return scopes.length === 0 || scopes.includes(scope);
}
