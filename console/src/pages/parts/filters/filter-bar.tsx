import type { ComponentChildren } from "preact";
import type { Filters } from "../../../route/filters.ts";
import { addressOf } from "../../../route/place.ts";
import { text } from "../../../text/text.ts";
import { Choice } from "../../../ui/act/choice.tsx";
import { Written } from "../../../ui/act/written.tsx";
import { type TimeFilter, TimeFilters } from "./time-filters.tsx";

/** The filters of a list, and how one of them is changed. */
export type Filtering<Name extends string> = {
  filters: Filters<Name>;
  change: (name: Name, value: string) => void;
};

type Chosen<Name extends string> = {
  of: Filtering<Name>;
  name: Name;
  label: string;
  any?: string;
  options: Readonly<Record<string, string>>;
};

/** A filter with some values to choose from. */
export function ChosenFilter<Name extends string>(props: Chosen<Name>) {
  const { of, name, label, any = text.common.any, options } = props;
  const onChange = (value: string) => of.change(name, value);
  return <Choice label={label} value={of.filters[name] ?? ""} {...{ any, options, onChange }} />;
}

type InWords<Name extends string> = {
  of: Filtering<Name>;
  name: Name;
  label: string;
  isWide?: boolean;
  type?: "datetime-local";
};

/** A filter that is written, or a moment in UTC. */
export function WrittenFilter<Name extends string>({ of, name, ...rest }: InWords<Name>) {
  return (
    <Written
      {...rest}
      value={of.filters[name] ?? ""}
      onChange={(value) => of.change(name, value)}
    />
  );
}

/** The filters of a list, several of which may change at once. */
export type TimedFiltering<Name extends string> = Filtering<Name | TimeFilter> & {
  changeAll: (values: Filters<Name | TimeFilter>) => void;
};

type Listed = {
  /** Of the list, without its filters. */
  path: string;
  /** The filters without which there is no list: the business of an operator's. */
  kept?: Readonly<Record<string, string>>;
};

/** The way to a list without filters, where it has some. */
function ClearFilters({ of, path, kept = {} }: Listed & { of: Filters<string> }) {
  const isFiltered = Object.keys(of).some(
    (name) => name !== "cursor" && !Object.hasOwn(kept, name),
  );
  if (!isFiltered) return null;
  return (
    <a class="button button-quiet" href={addressOf(path, kept)}>
      {text.common.clearFilters}
    </a>
  );
}

type Bar = Listed & { of: TimedFiltering<never>; children: ComponentChildren };

/** The filters of a list of what happened: its own, from when to when, and the way to none. */
export function FilterBar({ of, children, ...listed }: Bar) {
  return (
    <div class="filters">
      {children}
      <TimeFilters of={of} />
      <ClearFilters of={of.filters} {...listed} />
    </div>
  );
}
