import { text } from "../../text/text.ts";
import { Badge } from "../../ui/show/badge.tsx";
import type { Schema } from "../../wire/api.ts";

/** Says whether a business may use the API. */
export function BusinessBadge({ of }: { of: Schema<"Business"> }) {
  if (of.suspended_at !== null) return <Badge tone="bad">{text.businesses.suspended}</Badge>;
  if (of.verified_at === null) return <Badge tone="warn">{text.businesses.unverified}</Badge>;
  return <Badge tone="good">{text.businesses.verified}</Badge>;
}
