import { useState } from "preact/hooks";
import { text } from "../../../text/text.ts";
import { CreateKeyDialog } from "./create-key-dialog.tsx";
import { SecretDialog } from "./secret-dialog.tsx";

type Shown = {
  isOpen: boolean;
  create: Parameters<typeof CreateKeyDialog>[0]["create"];
  onMade: () => void;
  onClose: () => void;
};

/** Makes a key, and then shows it, once. */
export function NewKey({ isOpen, create, onMade, onClose }: Shown) {
  const [key, setKey] = useState<string | null>(null);
  const onDone = (made: string) => {
    setKey(made);
    onMade();
  };
  const shown = { title: text.keys.one, what: text.keys.shown };
  return (
    <>
      {isOpen && <CreateKeyDialog create={create} onDone={onDone} onClose={onClose} />}
      {key !== null && <SecretDialog {...shown} secret={key} onClose={() => setKey(null)} />}
    </>
  );
}
