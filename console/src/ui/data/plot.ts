import uPlot from "uplot";
import { hourText, utcDay } from "../../format/time.ts";
import { chosenZone, zoneOf } from "../../format/zone.ts";
import { language } from "../../text/language.ts";
import { numberText } from "../../text/numbers.ts";
import type { Ink, Series } from "./series.ts";
import "uplot/dist/uPlot.min.css";

type Data = { times: readonly number[]; series: readonly Series[] };

/** A drawing in a place of the page. */
export type Plot = { show: (data: Data) => void; end: () => void };

/**
 * Draws values into an element, at the element's width. Draws again when the width or the colours
 * change.
 */
export function makePlot(place: HTMLElement, first: Data, shape: "columns" | "line"): Plot {
  let data = first;
  let plot = draw();

  function draw(): uPlot {
    return new uPlot(optionsOf(place, data, shape), dataOf(data, shape), place);
  }
  const redraw = () => {
    plot.destroy();
    plot = draw();
  };
  const watcher = new ResizeObserver(() =>
    plot.setSize({ width: place.clientWidth, height: place.clientHeight }),
  );
  watcher.observe(place);
  const dark = window.matchMedia("(prefers-color-scheme: dark)");
  dark.addEventListener("change", redraw);
  const theme = new MutationObserver(redraw);
  theme.observe(document.documentElement, { attributeFilter: ["data-theme"] });

  return {
    show: (next) => {
      const isSameForm = next.series.length === data.series.length;
      data = next;
      if (isSameForm) plot.setData(dataOf(data, shape));
      else redraw();
    },
    end: () => {
      watcher.disconnect();
      theme.disconnect();
      dark.removeEventListener("change", redraw);
      plot.destroy();
    },
  };
}

function optionsOf(place: HTMLElement, data: Data, shape: "columns" | "line"): uPlot.Options {
  const text = colourOf(place, "--faint");
  const line = colourOf(place, "--line");
  const axis: uPlot.Axis = {
    stroke: text,
    font: "11px system-ui, sans-serif",
    ticks: { show: false },
    grid: { stroke: line, width: 1 },
  };
  return {
    width: place.clientWidth,
    height: place.clientHeight,
    // The right side has room for half of a mark, so that the last mark is whole.
    padding: [8, 18, 0, 0],
    legend: { show: false },
    cursor: { show: false },
    tzDate: (seconds) =>
      uPlot.tzDate(new Date(seconds * 1000), isOfDays(data) ? "UTC" : zoneOf(chosenZone())),
    scales: {
      // Both ends have room for half a column, so that the first and last columns have full width.
      x: { range: (_plot, low, high) => [low - room(data), high + room(data)] },
      y: { range: (_plot, _low, high) => [0, topOf(data, high)] },
    },
    axes: [
      {
        ...axis,
        grid: { show: false },
        space: 64,
        size: 28,
        gap: 8,
        values: (_plot, marks) => marks.map((mark) => markText(mark, data)),
      },
      {
        ...axis,
        size: 48,
        values: (_plot, marks) => marks.map((mark) => numberText(compact, mark)),
        ...(isOfAmounts(data)
          ? {}
          : { incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1e3, 1e4, 1e5, 1e6] }),
      },
    ],
    // The tallest series comes first, so that the others stand before it.
    series: [{}, ...[...data.series].reverse().map((one) => seriesOf(place, one.ink, shape))],
  };
}

function seriesOf(place: HTMLElement, ink: Ink, shape: "columns" | "line"): uPlot.Series {
  const colour = colourOf(place, `--ink-${ink}`);
  const columns = uPlot.paths.bars?.({ size: [0.62, 28], radius: 0.15 });
  return {
    stroke: colour,
    width: shape === "line" ? 1.5 : 0,
    points: { show: false },
    ...(shape === "line" || columns === undefined ? {} : { fill: colour, paths: columns }),
  };
}

/**
 * The values to draw. Columns are stacked: each is as high as the sum up to it, and the highest
 * comes first.
 */
function dataOf({ times, series }: Data, shape: "columns" | "line"): uPlot.AlignedData {
  const values = series.map((one) => [...one.values]);
  if (shape === "line") return [[...times], ...values.reverse()];
  const stacked = values.map((_, place) =>
    times.map((_time, index) =>
      values.slice(0, place + 1).reduce((sum, below) => sum + (below[index] ?? 0), 0),
    ),
  );
  return [[...times], ...stacked.reverse()];
}

const compact = new Intl.NumberFormat(language, {
  notation: "compact",
  maximumSignificantDigits: 3,
});

/** Amounts may be small parts of one. Everything else is counted. */
function isOfAmounts({ series }: Data): boolean {
  return series.some(({ texts }) => texts !== undefined);
}

function topOf(data: Data, high: number): number {
  const top = high * 1.08;
  return isOfAmounts(data) && top > 0 ? top : Math.max(1, top);
}

/** Half of the time between two values, in seconds. A single value has half a minute. */
function room({ times }: Data): number {
  const [first = 0, second = first + 60] = times;
  return (second - first) / 2;
}

/** The values are of days, which begin in UTC whatever clock is chosen. */
function isOfDays(data: Data): boolean {
  return room(data) >= 43_200;
}

/** A time below the chart: a day in UTC, or the time of day by the chosen clock. */
function markText(seconds: number, data: Data): string {
  const at = new Date(seconds * 1000).toISOString();
  return isOfDays(data) ? utcDay(at) : hourText(at);
}

/** The present value of a colour of the style sheet, in the theme that is shown. */
function colourOf(place: HTMLElement, name: string): string {
  const probe = document.createElement("span");
  probe.style.color = `var(${name})`;
  place.append(probe);
  const colour = getComputedStyle(probe).color;
  probe.remove();
  return colour;
}
