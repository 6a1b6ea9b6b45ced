import { useFilters } from "../../route/filters.ts";
import { text } from "../../text/text.ts";
import { ListCard } from "../../ui/data/list-card.tsx";
import { Empty } from "../../ui/frame/empty.tsx";
import { NoMatch } from "../../ui/frame/no-match.tsx";
import { Page } from "../../ui/frame/page.tsx";
import { answered, api } from "../../wire/api.ts";
import { useAnswer } from "../../wire/use-answer.ts";
import { AuditTable } from "../parts/audit-table.tsx";
import { BusinessFilter } from "../parts/filters/business-filter.tsx";
import { ChosenFilter, FilterBar, WrittenFilter } from "../parts/filters/filter-bar.tsx";
import { inTime, timeFilters } from "../parts/filters/time-filters.tsx";
import { AuditCheck } from "./audit-check.tsx";

const names = ["business_id", "actor", "action", "subject", ...timeFilters, "cursor"] as const;

/** The audit trail: who changed what, and when. */
export function AuditPage() {
  const { filters, change, changeAll, isFiltered } = useFilters(names);
  const query = inTime(filters);
  const of = { filters, change, changeAll };
  const { answer, again } = useAnswer(JSON.stringify(query), ["audit"], (as) =>
    answered(api.GET("/admin/audit", { params: { query }, ...as })),
  );
  return (
    <Page title={text.audit.title} lead={text.audit.lead} actions={<AuditCheck />}>
      <FilterBar of={of} path="/audit">
        <BusinessFilter of={of} />
        <WrittenFilter of={of} name="actor" label={text.audit.actor} />
        <ChosenFilter
          {...{ of, name: "action", label: text.audit.action, options: text.audit.actions }}
        />
        <WrittenFilter of={of} name="subject" label={text.audit.subject} isWide={true} />
      </FilterBar>
      <ListCard
        answer={answer}
        again={again}
        empty={
          isFiltered ? <NoMatch path="/audit" /> : <Empty icon="audit" title={text.audit.none} />
        }
      >
        {(rows) => <AuditTable rows={rows} />}
      </ListCard>
    </Page>
  );
}
