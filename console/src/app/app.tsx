import { useEffect, useState } from "preact/hooks";
import { go, placeNow } from "../route/place.ts";
import { text } from "../text/text.ts";
import { Toasts } from "../ui/act/toasts.tsx";
import { asFault, WireFault } from "../wire/fault.ts";
import { wordIn } from "../wire/given.ts";
import { prepareLive } from "../wire/live.ts";
import { openSession, readSession, type Session, watchSession } from "../wire/session.ts";
import { SessionContext } from "../wire/use-session.ts";
import { Frame } from "./frame.tsx";
import { Gate, GateAbove } from "./gate.tsx";

type State =
  | { name: "unknown" }
  | { name: "out"; fault: WireFault | null }
  /** `over`: why the session has ended meanwhile; null: it has not. */
  | { name: "in"; session: Session; over: WireFault | null };

/**
 * The console: signed in, or the page where one signs in. Where a session ends by itself, signing
 * in stands above the page, which keeps what was written there.
 */
export function App() {
  const [state, setState] = useState<State>({ name: "unknown" });
  useEffect(() => {
    const begin = async () => {
      try {
        await enter();
      } catch (thrown) {
        setState({ name: "out", fault: asFault(thrown) });
      }
    };
    const stop = watchSession((session, fault) =>
      setState((before) => {
        if (session !== null) return { name: "in", session, over: null };
        const over = before.name === "in" ? (fault ?? before.over) : null;
        return before.name === "in" && over !== null ? { ...before, over } : { name: "out", fault };
      }),
    );
    void begin();
    return stop;
  }, []);

  if (state.name === "unknown") return null;
  if (state.name === "out") return <Gate fault={state.fault} />;
  const { session, over } = state;
  return (
    <SessionContext.Provider value={session}>
      <Frame key={session.business?.id ?? session.kind} isOver={over !== null} />
      <Toasts />
      {over !== null && <GateAbove fault={over} />}
    </SessionContext.Provider>
  );
}

/**
 * Begins a session from the link that the page was opened with, or continues the browser's session.
 * @throws WireFault where the answer of an identity provider was refused
 */
async function enter(): Promise<void> {
  const link = window.location.hash.slice(1);
  const refused = placeNow().query.get("refused");
  if (refused !== null) {
    go("/console/", { replace: true });
    // The console shows its own text, and never the words of an address.
    const code = wordIn(text.gate.refused, refused) ?? "invalid_sign_in";
    throw new WireFault({ status: 401, code, message: text.gate.refused[code] });
  }
  if (placeNow().path !== "/enter") {
    prepareLive();
    await readSession();
    return;
  }
  // Takes the link out of the address bar and the history, even if the link is then refused.
  go("/console/", { replace: true });
  await openSession({ link });
}
