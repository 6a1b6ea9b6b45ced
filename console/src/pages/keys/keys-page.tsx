import { useState } from "preact/hooks";
import { text } from "../../text/text.ts";
import { Answered } from "../../ui/frame/answered.tsx";
import { Card } from "../../ui/frame/card.tsx";
import { Empty } from "../../ui/frame/empty.tsx";
import { Page } from "../../ui/frame/page.tsx";
import { useAnswer } from "../../wire/use-answer.ts";
import { ChangeButton } from "../parts/change-button.tsx";
import { CreateKeyDialog } from "../parts/keys/create-key-dialog.tsx";
import { KeysTable } from "../parts/keys/keys-table.tsx";
import { SecretDialog } from "../parts/keys/secret-dialog.tsx";
import { createKey, readKeys, revokeKey } from "./own-keys.ts";

/** The API keys of a business: what each may do, when it was used, and the way to end it. */
export function KeysPage() {
  const [isCreating, setCreating] = useState(false);
  const [key, setKey] = useState<string | null>(null);
  const { answer, again } = useAnswer("keys", ["keys"], readKeys);
  return (
    <Page
      title={text.keys.title}
      lead={text.keys.lead}
      actions={
        <ChangeButton look="main" icon="plus" onClick={() => setCreating(true)}>
          {text.keys.create}
        </ChangeButton>
      }
    >
      <Card isFull={true}>
        <Answered answer={answer} again={again}>
          {(rows) =>
            rows === null ? (
              <Empty icon="keys" title={text.keys.elsewhere} command={text.keys.elsewhereCommand} />
            ) : (
              <KeysTable rows={rows} revoke={revokeKey} again={again} />
            )
          }
        </Answered>
      </Card>
      {isCreating && (
        <CreateKeyDialog
          create={createKey}
          onDone={(made) => {
            setKey(made);
            again();
          }}
          onClose={() => setCreating(false)}
        />
      )}
      {key !== null && (
        <SecretDialog
          title={text.keys.one}
          what={text.keys.shown}
          secret={key}
          onClose={() => setKey(null)}
        />
      )}
    </Page>
  );
}
