import { useEffect, useRef } from "preact/hooks";
import { timeText } from "../../format/time.ts";
import { text } from "../../text/text.ts";
import { Scroller } from "../show/scroller.tsx";
import type { Plot } from "./plot.ts";
import type { Series } from "./series.ts";

type Shown = {
  /** The subject of the chart, in a sentence. */
  label: string;
  /** The time of each value, in Unix seconds. */
  times: readonly number[];
  series: readonly Series[];
  /** Stacked columns, or lines. */
  shape: "columns" | "line";
};

/**
 * Values over time, as a drawing and as a table below it. The library that draws is loaded when the
 * first chart is shown.
 */
export function Chart({ label, times, series, shape }: Shown) {
  const place = useRef<HTMLDivElement>(null);
  const plot = useRef<Plot | null>(null);
  const latest = useRef({ times, series });
  latest.current = { times, series };

  useEffect(() => {
    let isShown = true;
    const draw = async () => {
      const { makePlot } = await import("./plot.ts");
      if (isShown && place.current !== null)
        plot.current = makePlot(place.current, latest.current, shape);
    };
    void draw();
    return () => {
      isShown = false;
      plot.current?.end();
      plot.current = null;
    };
  }, [shape]);
  useEffect(() => plot.current?.show({ times, series }), [times, series]);

  return (
    <figure class="stack-tight">
      <div class="chart-keys">
        {series.map(({ name, ink }) => (
          <span class={`chart-key ink-${ink}`} key={name}>
            {name}
          </span>
        ))}
      </div>
      <div class="chart" role="img" aria-label={label} ref={place} />
      <details class="more">
        <summary>{text.common.asTable}</summary>
        <Scroller label={label}>
          <table class="table">
            <caption class="unseen">{label}</caption>
            <thead>
              <tr>
                <th scope="col">{text.common.time}</th>
                {series.map(({ name }) => (
                  <th class="end" scope="col" key={name}>
                    {name}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {times.map((time, index) => (
                <tr key={time}>
                  <td class="nowrap">{timeText(new Date(time * 1000).toISOString())}</td>
                  {series.map(({ name, values, texts }) => (
                    <td class="end" key={name}>
                      {texts?.[index] ?? values[index] ?? "–"}
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </Scroller>
      </details>
    </figure>
  );
}
