import { useState } from "preact/hooks";
import { useFilters } from "../../route/filters.ts";
import { text } from "../../text/text.ts";
import { ListCard } from "../../ui/data/list-card.tsx";
import { Empty } from "../../ui/frame/empty.tsx";
import { NoMatch } from "../../ui/frame/no-match.tsx";
import { Page } from "../../ui/frame/page.tsx";
import { Split } from "../../ui/frame/split.tsx";
import { Foreign } from "../../ui/show/foreign.tsx";
import { When } from "../../ui/show/when.tsx";
import { type Column, Table } from "../../ui/table/table.tsx";
import { answered, api, type Schema } from "../../wire/api.ts";
import { useAnswer } from "../../wire/use-answer.ts";
import { ChangeButton } from "../parts/change-button.tsx";
import { WrittenFilter } from "../parts/filters/filter-bar.tsx";
import { BusinessBadge } from "./business-badge.tsx";
import { BusinessPanel } from "./business-panel.tsx";
import { CreateDialog } from "./create-dialog.tsx";

const columns: readonly Column<Schema<"Business">>[] = [
  {
    name: "name",
    head: text.businesses.name,
    cell: ({ name }) => <Foreign text={name} />,
  },
  { name: "state", head: text.businesses.state, cell: (row) => <BusinessBadge of={row} /> },
  {
    name: "id",
    head: text.businesses.id,
    from: "wide",
    cell: ({ id }) => <span class="mono faint">{id}</span>,
  },
  {
    name: "created",
    head: text.businesses.created,
    isEnd: true,
    from: "middle",
    cell: ({ created_at: at }) => <When at={at} />,
  },
];

/** The businesses, and one of them beside the list. */
export function BusinessesPage({ id }: { id: string | null }) {
  const [isCreating, setCreating] = useState(false);
  const { filters, change, search, isFiltered } = useFilters(["q", "cursor"]);
  const { answer, again } = useAnswer(JSON.stringify(filters), ["businesses"], (as) =>
    answered(api.GET("/admin/businesses", { params: { query: filters }, ...as })),
  );
  return (
    <Page
      title={text.businesses.title}
      actions={
        <ChangeButton
          needs={{ operator: "businesses" }}
          look="main"
          icon="plus"
          onClick={() => setCreating(true)}
        >
          {text.businesses.create}
        </ChangeButton>
      }
    >
      <Split
        panel={
          id === null ? null : (
            <BusinessPanel id={id} onChanged={again} back={`/console/businesses${search}`} />
          )
        }
      >
        <div class="filters">
          <WrittenFilter
            of={{ filters, change }}
            name="q"
            label={text.businesses.named}
            isWide={true}
          />
        </div>
        <ListCard
          answer={answer}
          again={again}
          empty={
            isFiltered ? (
              <NoMatch path="/businesses" />
            ) : (
              <Empty
                icon="businesses"
                title={text.businesses.none}
                command={text.businesses.noneCommand}
              />
            )
          }
        >
          {(listed) => (
            <Table
              caption={text.businesses.title}
              columns={columns}
              rows={listed}
              idOf={(row) => row.id}
              hrefOf={(row) => `/console/businesses/${row.id}${search}`}
              chosenId={id}
            />
          )}
        </ListCard>
      </Split>
      {isCreating && <CreateDialog onDone={again} onClose={() => setCreating(false)} />}
    </Page>
  );
}
