import type { ComponentChildren } from "preact";
import { text } from "../../text/text.ts";
import { Icon } from "../show/icon.tsx";
import { When } from "../show/when.tsx";

/** One step: it happened, happens, failed, or is still to come. */
export type Step = {
  name: string;
  state: "done" | "now" | "todo" | "bad";
  at?: string | null;
  more?: ComponentChildren;
};

/** Steps in their order, past and expected. */
export function Timeline({ steps }: { steps: readonly Step[] }) {
  return (
    <ol class="timeline">
      {steps.map((step, place) => (
        // Two webhooks are notified of one transaction at the same moment.
        <li class={`step step-${step.state}`} key={`${place} ${step.name}`}>
          <span class="step-mark">
            {step.state === "done" && <Icon name="done" size={12} />}
            {step.state === "bad" && <Icon name="close" size={12} />}
          </span>
          <span class="step-name">
            {step.name}
            <span class="unseen"> ({text.stepState[step.state]})</span>
          </span>
          <span class="faint small">{step.at != null && <When at={step.at} />}</span>
          {step.more !== undefined && <div class="step-more">{step.more}</div>}
        </li>
      ))}
    </ol>
  );
}
