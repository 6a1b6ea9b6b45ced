import { useState } from "preact/hooks";
import { text } from "../../../text/text.ts";
import { Confirm } from "../../../ui/act/confirm.tsx";
import { Empty } from "../../../ui/frame/empty.tsx";
import { Badge } from "../../../ui/show/badge.tsx";
import { Foreign } from "../../../ui/show/foreign.tsx";
import { When } from "../../../ui/show/when.tsx";
import { type Column, Table } from "../../../ui/table/table.tsx";
import type { Schema } from "../../../wire/api.ts";
import { ChangeButton } from "../change-button.tsx";
import { stateOfKey } from "./state-of-key.ts";

type Key = Schema<"ApiKey">;

type Shown = { rows: readonly Key[]; revoke: (id: string) => Promise<void>; again: () => void };

/** API keys, with what ends one: its label has to be typed. */
export function KeysTable({ rows, revoke, again }: Shown) {
  const [asked, setAsked] = useState<Key | null>(null);
  if (rows.length === 0) return <Empty icon="keys" title={text.keys.none} />;
  return (
    <>
      <Table
        caption={text.keys.title}
        columns={columnsOf(setAsked)}
        rows={rows}
        idOf={({ id }) => id}
      />
      {asked !== null && (
        <Confirm
          title={text.keys.revoke}
          action={text.keys.revoke}
          isDangerous={true}
          typed={asked.label ?? asked.prefix}
          onClose={() => setAsked(null)}
          onConfirm={async () => {
            await revoke(asked.id);
            again();
          }}
        >
          <p>{text.keys.revokeMore}</p>
        </Confirm>
      )}
    </>
  );
}

function columnsOf(onRevoke: (key: Key) => void): readonly Column<Key>[] {
  return [
    {
      name: "label",
      head: text.keys.label,
      cell: (key) => (
        <>
          <Foreign text={key.label ?? text.keys.noLabel} />
          <span class="second mono">{key.prefix}…</span>
          <span class="second until-middle">
            {text.keys.lastUsed}: <LastUsed of={key} />
          </span>
        </>
      ),
    },
    {
      name: "state",
      head: text.keys.state,
      cell: (key) => (
        <>
          <KeyBadge of={key} />
          {stateOfKey(key) === "active" && key.expires_at !== null && (
            <span class="second">
              {text.keys.ends} <When at={key.expires_at} />
            </span>
          )}
        </>
      ),
    },
    {
      name: "scopes",
      head: text.keys.scopes,
      from: "middle",
      cell: ({ scopes, networks }) => (
        <>
          {scopes.length === 0
            ? text.keys.everything
            : scopes.map((scope) => text.scope[scope]).join(", ")}
          {networks.length > 0 && <span class="second">{networks.join(", ")}</span>}
        </>
      ),
    },
    {
      name: "used",
      head: text.keys.lastUsed,
      from: "middle",
      cell: (key) => <LastUsed of={key} />,
    },
    {
      name: "created",
      head: text.keys.created,
      from: "wide",
      cell: ({ created_at: at }) => <When at={at} />,
    },
    {
      name: "revoke",
      head: text.common.actions,
      isHeadHidden: true,
      isEnd: true,
      cell: (key) =>
        key.revoked_at === null && (
          <ChangeButton
            needs={{ business: "unlimited", operator: "businesses" }}
            onClick={() => onRevoke(key)}
          >
            {text.keys.revoke}
          </ChangeButton>
        ),
    },
  ];
}

function LastUsed({ of: { last_used_at: at } }: { of: Key }) {
  return at === null ? <span class="faint">{text.keys.never}</span> : <When at={at} />;
}

const tones = { revoked: "bad", expired: "plain", active: "good" } as const;

function KeyBadge({ of }: { of: Key }) {
  const state = stateOfKey(of);
  return <Badge tone={tones[state]}>{text.keys[state]}</Badge>;
}
