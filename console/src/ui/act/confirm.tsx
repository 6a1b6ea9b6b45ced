import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { fill, text } from "../../text/text.ts";
import { asFault } from "../../wire/fault.ts";
import { faultText } from "../show/fault-text.ts";
import { visible } from "../show/turned.ts";
import { Button } from "./button.tsx";
import { Dialog } from "./dialog.tsx";
import { Field } from "./field.tsx";

type Shown = {
  title: string;
  children?: ComponentChildren;
  /** The words on the button that confirms. */
  action: string;
  isDangerous?: boolean;
  /** The text that must be typed first, for an action that cannot be undone. */
  typed?: string;
  isDisabled?: boolean;
  onConfirm: () => Promise<void>;
  onClose: () => void;
};

/** Asks before an action. Closes after it, or shows why it was refused. */
export function Confirm(props: Shown) {
  const [typed, setTyped] = useState("");
  const [isBusy, setBusy] = useState(false);
  const [refusal, setRefusal] = useState<string | null>(null);
  // Nobody can type what does not show. A name of nothing else asks for nothing.
  const wanted = visible(props.typed ?? "");
  const isAllowed = visible(typed) === wanted;
  const confirm = async () => {
    setBusy(true);
    setRefusal(null);
    try {
      await props.onConfirm();
      props.onClose();
    } catch (thrown) {
      setRefusal(faultText(asFault(thrown)));
      setBusy(false);
    }
  };
  return (
    <Dialog title={props.title} onClose={props.onClose}>
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault();
          void confirm();
        }}
      >
        {props.children}
        {wanted !== "" && (
          <Field
            label={fill(text.common.typeToConfirm, { what: wanted })}
            value={typed}
            onInput={setTyped}
          />
        )}
        {refusal !== null && (
          <p class="banner tone-bad" role="alert">
            {refusal}
          </p>
        )}
        <div class="dialog-foot">
          <Button onClick={props.onClose}>{text.common.cancel}</Button>
          <Button
            type="submit"
            look={props.isDangerous === true ? "danger" : "main"}
            isDisabled={isBusy || !isAllowed || props.isDisabled === true}
          >
            {props.action}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
