import { useState } from "preact/hooks";
import { text } from "../../text/text.ts";
import { answered, api } from "../../wire/api.ts";
import { useAnswer } from "../../wire/use-answer.ts";
import { ChangeButton } from "../parts/change-button.tsx";
import { KeysTable } from "../parts/keys/keys-table.tsx";
import { NewKey } from "../parts/keys/new-key.tsx";
import { NewestRows } from "./newest-rows.tsx";

/** The API keys of a business, as the operator makes and revokes them. */
export function BusinessKeys({ id }: { id: string }) {
  const [isCreating, setCreating] = useState(false);
  const params = { params: { path: { id } } };
  const asked = useAnswer(id, ["keys"], (as) =>
    answered(api.GET("/admin/businesses/{id}/api-keys", { ...params, ...as })),
  );
  return (
    <>
      <NewestRows {...asked} none={text.keys.none}>
        {(rows) => (
          <KeysTable
            rows={rows}
            again={asked.again}
            revoke={async (keyId) => {
              await answered(
                api.DELETE("/admin/api-keys/{id}", { params: { path: { id: keyId } } }),
              );
            }}
          />
        )}
      </NewestRows>
      <div>
        <ChangeButton
          needs={{ operator: "businesses" }}
          icon="plus"
          onClick={() => setCreating(true)}
        >
          {text.keys.create}
        </ChangeButton>
      </div>
      <NewKey
        isOpen={isCreating}
        create={async (wish) => {
          const made = await answered(
            api.POST("/admin/businesses/{id}/api-keys", { ...params, body: wish }),
          );
          return made.key;
        }}
        onMade={asked.again}
        onClose={() => setCreating(false)}
      />
    </>
  );
}
