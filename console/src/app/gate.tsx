import { useEffect, useState } from "preact/hooks";
import { text } from "../text/text.ts";
import { Button } from "../ui/act/button.tsx";
import { Field } from "../ui/act/field.tsx";
import { useModal } from "../ui/act/use-modal.ts";
import { Command } from "../ui/frame/command.tsx";
import { faultText } from "../ui/show/fault-text.ts";
import { asFault, type WireFault } from "../wire/fault.ts";
import { hasProvider, openSession } from "../wire/session.ts";
import { LanguageSwitch } from "./language-switch.tsx";
import { ThemeSwitch } from "./theme-switch.tsx";

/** The page to sign in. */
export function Gate({ fault }: { fault: WireFault | null }) {
  return (
    <main class="gate">
      <Entrance fault={fault} />
      <ThemeSwitch />
      <LanguageSwitch />
    </main>
  );
}

/** Signing in above the page of a session that has ended. It covers the page whole. */
export function GateAbove({ fault }: { fault: WireFault }) {
  const dialog = useModal();
  return (
    <dialog
      class="gate gate-above"
      ref={dialog}
      aria-label={text.gate.title}
      onCancel={(event) => event.preventDefault()}
      // A browser closes a dialog at the second Escape all the same.
      onClose={(event) => {
        if (event.currentTarget.isConnected) event.currentTarget.showModal();
      }}
    >
      <Entrance fault={fault} />
    </dialog>
  );
}

/**
 * Signs in with an API key, an operator's token, or at an identity provider. It also shows the
 * command that makes a link.
 */
function Entrance({ fault }: { fault: WireFault | null }) {
  const [secret, setSecret] = useState("");
  const [isBusy, setBusy] = useState(false);
  const [refusal, setRefusal] = useState<WireFault | null>(fault);
  const [isProviderThere, setProviderThere] = useState(false);
  useEffect(() => {
    hasProvider().then(setProviderThere, () => undefined);
  }, []);
  const signIn = async () => {
    setBusy(true);
    setRefusal(null);
    const given = secret.trim();
    try {
      await openSession(given.startsWith("cb_") ? { api_key: given } : { admin_token: given });
    } catch (thrown) {
      setRefusal(asFault(thrown));
      setBusy(false);
    }
  };
  return (
    <form
      class="gate-card"
      onSubmit={(event) => {
        event.preventDefault();
        void signIn();
      }}
    >
      <div class="row">
        <img src="/console/icon.svg" alt="" width="32" height="32" />
        <h1>{text.gate.title}</h1>
      </div>
      {refusal !== null && (
        <p class="banner tone-bad" role="alert">
          {faultText(refusal)}
        </p>
      )}
      <Field
        label={text.gate.secret}
        type="password"
        value={secret}
        onInput={setSecret}
        hint={text.gate.secretHint}
        isRequired={true}
      />
      <Button type="submit" look="main" isDisabled={isBusy}>
        {text.gate.signIn}
      </Button>
      {isProviderThere && (
        <a class="button" href="/console/openid">
          {text.gate.provider}
        </a>
      )}
      <div class="stack-tight">
        <p class="small muted">{text.gate.link}</p>
        <Command line={text.gate.linkCommand} />
      </div>
    </form>
  );
}
