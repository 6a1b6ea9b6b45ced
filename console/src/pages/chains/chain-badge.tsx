import { text } from "../../text/text.ts";
import { Badge } from "../../ui/show/badge.tsx";
import type { ChainStatus } from "./status.ts";

/**
 * The state of a chain. A chain with an alert that holds now is never green. The reason stands
 * beside it.
 */
export function ChainBadge({ of }: { of: ChainStatus }) {
  if (of.stopped !== null) return <Badge tone="bad">{text.chains.stopped}</Badge>;
  if (of.held !== null) return <Badge tone="warn">{text.chains.held}</Badge>;
  if (of.discrepancies > 0) return <Badge tone="bad">{text.chains.differs}</Badge>;
  const [alert] = of.alerts;
  if (alert !== undefined)
    return (
      <Badge tone={alert.severity === "critical" ? "bad" : "warn"}>{text.chains.troubled}</Badge>
    );
  if (of.position === null) return <Badge tone="plain">{text.chains.notBegun}</Badge>;
  return <Badge tone="good">{text.chains.following}</Badge>;
}
