import { text, wordOf } from "../../text/text.ts";
import { Answered } from "../../ui/frame/answered.tsx";
import { Card } from "../../ui/frame/card.tsx";
import { Page } from "../../ui/frame/page.tsx";
import { Badge } from "../../ui/show/badge.tsx";
import { Foreign } from "../../ui/show/foreign.tsx";
import { When } from "../../ui/show/when.tsx";
import { type Column, Table } from "../../ui/table/table.tsx";
import { answered, api } from "../../wire/api.ts";
import { useAnswer } from "../../wire/use-answer.ts";
import { useSession } from "../../wire/use-session.ts";
import { ConsoleLink } from "../parts/console-link.tsx";
import { type ConsoleSession, endOther, readSessions } from "../parts/read-sessions.ts";
import { EndButton } from "./end-button.tsx";

/**
 * The sessions of the console, with their ways in and addresses. Each other session can be ended.
 */
export function SessionsPage() {
  const { answer, again } = useAnswer("sessions", ["audit"], readSessions);
  const { session } = useSession();
  const isBusiness = session.kind === "business";
  const keys = useAnswer(`keys ${session.kind}`, ["keys"], async (as) =>
    isBusiness ? (await answered(api.GET("/api-keys", as))).data : [],
  );
  const names = new Map(
    keys.answer.state === "ready"
      ? keys.answer.value.map(({ id, label, prefix }) => [id, label ?? `${prefix}…`])
      : [],
  );
  const end = (id: string) => endOther(id).then(again);
  return (
    <Page title={text.sessions.title} lead={text.sessions.lead}>
      {isBusiness && (
        <Card title={text.sessions.invite}>
          <ConsoleLink />
        </Card>
      )}
      <Card isFull={true}>
        <Answered answer={answer} again={again}>
          {(rows) => (
            <Table
              caption={text.sessions.title}
              columns={columnsOf(end, names)}
              rows={rows}
              idOf={({ id }) => id}
            />
          )}
        </Answered>
      </Card>
    </Page>
  );
}

/** The maker of an operator's link, which there is in development mode alone. */
const developmentName = "development";

/** The name of whoever came in. A business's key has its label, and a link its maker's role. */
function nameOf({ way, name }: ConsoleSession, keys: ReadonlyMap<string, string>): string {
  if (way === "link" && name !== developmentName)
    return text.role[name === "operator" ? "operator" : "developer"];
  return keys.get(name) ?? name;
}

function columnsOf(
  end: (id: string) => Promise<void>,
  keys: ReadonlyMap<string, string>,
): readonly Column<ConsoleSession>[] {
  return [
    {
      name: "who",
      head: text.sessions.who,
      cell: (row) => (
        <>
          <Foreign text={nameOf(row, keys)} />{" "}
          {row.current && <Badge tone="accent">{text.sessions.current}</Badge>}
          <span class="second">{wordOf(text.sessions.ways, row.way)}</span>
        </>
      ),
    },
    { name: "role", head: text.sessions.role, cell: ({ role }) => wordOf(text.role, role) },
    {
      name: "address",
      head: text.sessions.address,
      from: "middle",
      cell: ({ address }) => <span class="mono">{address ?? "–"}</span>,
    },
    {
      name: "seen",
      head: text.sessions.seen,
      from: "middle",
      cell: ({ last_seen_at: at }) => <When at={at} />,
    },
    {
      name: "expires",
      head: text.sessions.expires,
      from: "wide",
      cell: ({ expires_at: at }) => <When at={at} />,
    },
    {
      name: "end",
      head: text.common.actions,
      isHeadHidden: true,
      isEnd: true,
      cell: ({ id, current }) => !current && <EndButton end={() => end(id)} />,
    },
  ];
}
