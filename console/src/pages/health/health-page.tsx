import { type Said, text } from "../../text/text.ts";
import { Answered } from "../../ui/frame/answered.tsx";
import { Page } from "../../ui/frame/page.tsx";
import { Badge } from "../../ui/show/badge.tsx";
import { English, Worded } from "../../ui/show/english.tsx";
import type { Column } from "../../ui/table/table.tsx";
import { TableCard } from "../../ui/table/table-card.tsx";
import { answered, api } from "../../wire/api.ts";
import { useAnswer } from "../../wire/use-answer.ts";
import type { Installed } from "../parts/installed.ts";
import { troubleText } from "../parts/setup-text.ts";
import { Database } from "./database.tsx";
import { Installation } from "./installation.tsx";
import { SetupBanners } from "./setup-banners.tsx";

type Part = Installed["parts"][number];

const columns: readonly Column<Part>[] = [
  {
    name: "name",
    head: text.health.part,
    cell: ({ name }) => (
      <>
        <strong>
          <English text={name} />
        </strong>
        <span class="second">{meaningOf(name)}</span>
      </>
    ),
  },
  {
    name: "state",
    head: text.health.state,
    cell: ({ trouble }) => (
      <Badge tone={trouble === null ? "good" : "bad"}>
        {trouble === null ? text.health.well : text.health.trouble}
      </Badge>
    ),
  },
  {
    name: "trouble",
    head: text.health.trouble,
    cell: ({ trouble, causes }) => (
      <span class="break">
        {trouble === null ? "–" : <Trouble of={troubleText({ trouble, causes })} />}
      </span>
    ),
  },
];

/** The trouble in the page's language; below it the API's sentence, which has more facts. */
function Trouble({ of }: { of: Said }) {
  return (
    <>
      <Worded of={of} />
      {of.said !== of.sentence && (
        <span class="second">
          <English text={of.sentence} />
        </span>
      )}
    </>
  );
}

/** Parts in trouble first, then by name. */
function inOrder(parts: readonly Part[]): Part[] {
  const rankOf = ({ trouble }: Part) => (trouble === null ? 1 : 0);
  return parts.toSorted(
    (one, other) => rankOf(one) - rankOf(other) || one.name.localeCompare(other.name),
  );
}

/** The purpose of a part. Of one for each chain or role, its name says which one after a colon. */
function meaningOf(name: string): string {
  const [kind = ""] = name.split(":");
  const meanings: Readonly<Record<string, string>> = text.part;
  return meanings[kind] ?? "";
}

/** The state of all parts, the version that runs, and the size of the database. */
export function HealthPage() {
  const { answer, again } = useAnswer("health", ["health"], (as) =>
    answered(api.GET("/admin/health", as)),
  );
  return (
    <Page title={text.health.title}>
      <Answered answer={answer} again={again}>
        {({ data }) => (
          <div class="stack">
            <SetupBanners of={data} />
            <TableCard
              {...{ title: text.health.parts, columns, rows: inOrder(data.parts) }}
              idOf={({ name }) => name}
            />
            <Installation of={data} />
            <Database of={data} />
          </div>
        )}
      </Answered>
    </Page>
  );
}
