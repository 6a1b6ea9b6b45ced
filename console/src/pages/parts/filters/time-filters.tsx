import {
  type Bounds,
  boundsOf,
  isUnfinished,
  shownMinute,
  writtenMinute,
} from "../../../format/period.ts";
import { chosenZone, zoneOf } from "../../../format/zone.ts";
import type { Filters } from "../../../route/filters.ts";
import { fill, text } from "../../../text/text.ts";
import { Choice } from "../../../ui/act/choice.tsx";
import { Written } from "../../../ui/act/written.tsx";
import { momentOf, wordIn } from "../../../wire/given.ts";

/** A period by its name, or a time from when to when. In an address times are UTC. */
export const timeFilters = ["period", "from", "to"] as const;
export type TimeFilter = (typeof timeFilters)[number];

type Shown = {
  of: {
    filters: Filters<TimeFilter>;
    changeAll: (values: Filters<TimeFilter>) => void;
  };
};

/**
 * From when to when: a period by its name, or to the minute by the chosen clock. A named period
 * shows its bounds, and whoever changes one of them keeps the other.
 */
export function TimeFilters({ of }: Shown) {
  const zone = zoneOf(chosenZone());
  const bounds = boundsIn(of.filters);
  const period = wordIn(text.period.one, of.filters.period) ?? (bounds === null ? "" : custom);
  const isCustom = period === custom;
  return (
    <div class="filter-times">
      <Choice
        label={text.period.name}
        value={period}
        any={text.period.any}
        options={isCustom ? { ...text.period.one, [custom]: text.period.custom } : text.period.one}
        onChange={(value) => {
          if (value !== custom) of.changeAll({ period: value, from: "", to: "" });
        }}
      />
      {(["from", "to"] as const).map((name) => (
        <Written
          key={`${name} ${zone}`}
          label={fill(text.common[name], { zone: text.zone.inLabel[chosenZone()] })}
          type="datetime-local"
          value={bounds?.[name] === undefined ? "" : shownMinute(bounds[name], zone)}
          onChange={(value) => {
            if (isUnfinished(value)) return;
            of.changeAll({
              from: bounds?.from ?? "",
              to: bounds?.to ?? "",
              period: "",
              [name]: value === "" ? "" : writtenMinute(value, zone),
            });
          }}
        />
      ))}
    </div>
  );
}

const custom = "custom";

/** The bounds that filters name, as they stand in an address; null: none. */
function boundsIn({ period, from, to }: Filters<TimeFilter>): Partial<Bounds> | null {
  const named = wordIn(text.period.one, period);
  if (named !== undefined) return boundsOf(named, Date.now(), zoneOf(chosenZone()));
  if (from === undefined && to === undefined) return null;
  return { ...(from === undefined ? {} : { from }), ...(to === undefined ? {} : { to }) };
}

type Moments = { from?: string; to?: string };

/**
 * The filters of a list as the API takes them, from when to when. Text that names no time is left
 * out.
 */
export function inTime<Of extends Filters<TimeFilter>>(
  filters: Of,
): Omit<Of, TimeFilter> & Moments {
  const { period: _period, from: _from, to: _to, ...others } = filters;
  const { from: begin, to: end } = boundsIn(filters) ?? {};
  const [from, to] = [momentOf(begin), momentOf(end)];
  return {
    ...others,
    ...(from === undefined ? {} : { from }),
    ...(to === undefined ? {} : { to }),
  };
}
