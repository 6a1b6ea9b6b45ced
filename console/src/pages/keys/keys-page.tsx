import { useState } from "preact/hooks";
import { useFilters } from "../../route/filters.ts";
import { text } from "../../text/text.ts";
import { ListCard } from "../../ui/data/list-card.tsx";
import { Empty } from "../../ui/frame/empty.tsx";
import { Page } from "../../ui/frame/page.tsx";
import { answered, api } from "../../wire/api.ts";
import { useAnswer } from "../../wire/use-answer.ts";
import { ChangeButton } from "../parts/change-button.tsx";
import { KeysTable } from "../parts/keys/keys-table.tsx";
import { NewKey } from "../parts/keys/new-key.tsx";
import { createKey, revokeKey } from "./own-keys.ts";

/** The API keys of a business: what each may do, when it was used, and the way to end it. */
export function KeysPage() {
  const [isCreating, setCreating] = useState(false);
  const { filters } = useFilters(["cursor"]);
  const { answer, again } = useAnswer(JSON.stringify(filters), ["keys"], (as) =>
    answered(api.GET("/api-keys", { params: { query: filters }, ...as })),
  );
  return (
    <Page
      title={text.keys.title}
      lead={text.keys.lead}
      actions={
        <ChangeButton
          needs={{ business: "unlimited" }}
          look="main"
          icon="plus"
          onClick={() => setCreating(true)}
        >
          {text.keys.create}
        </ChangeButton>
      }
    >
      <ListCard
        answer={answer}
        again={again}
        empty={<Empty icon="keys" title={text.keys.none} command={text.keys.noneCommand} />}
      >
        {(rows) => <KeysTable rows={rows} revoke={revokeKey} again={again} />}
      </ListCard>
      <NewKey
        isOpen={isCreating}
        create={createKey}
        onMade={again}
        onClose={() => setCreating(false)}
      />
    </Page>
  );
}
