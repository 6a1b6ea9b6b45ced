import { fixedText } from "../../format/amount.ts";
import { durationText } from "../../format/time.ts";
import { fill, fillCount, text, wordOf } from "../../text/text.ts";
import { Badge } from "../../ui/show/badge.tsx";
import { Code } from "../../ui/show/code.tsx";
import type { Alert } from "../parts/alert-text.ts";
import { chargedText, type Endpoint } from "./endpoint-cost.ts";
import { type ChainStatus, heightText } from "./status.ts";

/** The state of each endpoint of a chain. */
export function Endpoints({ of: { endpoints, alerts } }: { of: ChainStatus }) {
  if (endpoints === null || endpoints.length === 0)
    return <p class="muted">{text.chains.noEndpoints}</p>;
  return (
    <ul>
      {endpoints.map((endpoint) => (
        <li class="attempt" key={endpoint.name}>
          <div class="attempt-line">
            <strong class="break">{endpoint.name}</strong>
            <EndpointBadge
              of={endpoint}
              alert={alerts.find((alert) => alert.endpoint === endpoint.name)}
            />
          </div>
          <p class="small muted">
            {[
              endpoint.latency_ms === null ? null : durationText(endpoint.latency_ms),
              endpoint.requests_per_second === null
                ? null
                : fill(text.chains.perSecond, { rate: endpoint.requests_per_second }),
              fill(text.chains.score, { score: fixedText(endpoint.score, 2) }),
              fill(text.chains.headAt, { number: heightText(endpoint.head) }),
              endpoint.failures === 0 ? null : fillCount(text.chains.failures, endpoint.failures),
              ...askedOf(endpoint),
            ]
              .filter((part) => part !== null)
              .join(" · ")}
          </p>
          <Abilities of={endpoint} />
          {endpoint.last_error !== null && (
            <Code label={text.chains.lastError}>{endpoint.last_error}</Code>
          )}
        </li>
      ))}
    </ul>
  );
}

/** Says how an endpoint answers. `alert`: the worst that holds of it, if any does. */
function EndpointBadge({ of, alert }: { of: Endpoint; alert: Alert | undefined }) {
  const words: Readonly<Record<string, string>> = text.chains.endpointIs;
  if (alert !== undefined)
    return <Badge tone="warn">{words[alert.kind] ?? text.chains.troubled}</Badge>;
  if (of.silent_ms !== null) return <Badge tone="warn">{text.chains.silent}</Badge>;
  if (of.latency_ms === null) return <Badge tone="plain">{text.chains.notAsked}</Badge>;
  return <Badge tone="good">{text.chains.answers}</Badge>;
}

/** The abilities that an endpoint has shown, and those that it lacks. */
function Abilities({ of }: { of: Endpoint }) {
  const { can, cannot, log_blocks: blocks } = of;
  const wordsOf = (ability: Endpoint["can"][number]) =>
    ability === "logs" && blocks !== null
      ? fillCount(text.chains.logBlocks, blocks)
      : wordOf(text.ability, ability);
  return (
    <>
      {can.length > 0 && (
        <p class="small muted">{fill(text.chains.can, { what: can.map(wordsOf).join(", ") })}</p>
      )}
      {cannot.length > 0 && (
        <p class="small muted">
          {fill(text.chains.cannot, {
            what: cannot.map((ability) => wordOf(text.ability, ability)).join(", "),
          })}
        </p>
      )}
    </>
  );
}

/** The calls of the last hours, and the units that the provider charges for a day of such calls. */
function askedOf(endpoint: Endpoint): string[] {
  const { calls, calls_hours: hours } = endpoint;
  if (hours === 0) return [];
  const counted = fillCount(text.chains.calls, calls, { time: durationText(hours * 3_600_000) });
  const charged = chargedText(endpoint);
  return charged === null ? [counted] : [counted, charged];
}
