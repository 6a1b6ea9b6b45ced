import { text } from "../../text/text.ts";
import { Badge } from "../../ui/show/badge.tsx";
import type { ChainStatus } from "./status.ts";

/** The state of a chain: stopped, held, with discrepancies, not begun, or followed. */
export function ChainBadge({ of }: { of: ChainStatus }) {
  if (of.stopped !== null) return <Badge tone="bad">{text.chains.stopped}</Badge>;
  if (of.held !== null) return <Badge tone="warn">{text.chains.held}</Badge>;
  if (of.discrepancies > 0) return <Badge tone="bad">{text.chains.differs}</Badge>;
  if (of.position === null) return <Badge tone="plain">{text.chains.notBegun}</Badge>;
  return <Badge tone="good">{text.chains.following}</Badge>;
}
