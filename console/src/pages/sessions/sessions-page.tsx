import { text, wordOf } from "../../text/text.ts";
import { Answered } from "../../ui/frame/answered.tsx";
import { Card } from "../../ui/frame/card.tsx";
import { Page } from "../../ui/frame/page.tsx";
import { Badge } from "../../ui/show/badge.tsx";
import { Foreign } from "../../ui/show/foreign.tsx";
import { When } from "../../ui/show/when.tsx";
import { type Column, Table } from "../../ui/table/table.tsx";
import { useAnswer } from "../../wire/use-answer.ts";
import { type ConsoleSession, endOther, readSessions } from "../parts/read-sessions.ts";
import { EndButton } from "./end-button.tsx";

/**
 * The sessions of the console, with their ways in and addresses. Each other session can be ended.
 */
export function SessionsPage() {
  const { answer, again } = useAnswer("sessions", ["audit"], readSessions);
  const end = (id: string) => endOther(id).then(again);
  return (
    <Page title={text.sessions.title} lead={text.sessions.lead}>
      <Card isFull={true}>
        <Answered answer={answer} again={again}>
          {(rows) => (
            <Table
              caption={text.sessions.title}
              columns={columnsOf(end)}
              rows={rows}
              idOf={({ id }) => id}
            />
          )}
        </Answered>
      </Card>
    </Page>
  );
}

function columnsOf(end: (id: string) => Promise<void>): readonly Column<ConsoleSession>[] {
  return [
    {
      name: "who",
      head: text.sessions.who,
      cell: (row) => (
        <>
          <Foreign text={row.name} />{" "}
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
