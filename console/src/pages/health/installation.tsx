import { fill, text } from "../../text/text.ts";
import { Facts } from "../../ui/data/facts.tsx";
import { Card } from "../../ui/frame/card.tsx";
import { Moment } from "../../ui/show/moment.tsx";
import type { Installed } from "./read-health.ts";

/** What runs, since when, and whether schema and configuration are those it expects. */
export function Installation({ of }: { of: Installed }) {
  const words = text.health;
  const { migrations, configuration } = of;
  return (
    <Card title={words.installation}>
      <Facts
        of={[
          [words.version, of.version],
          [words.node, of.node],
          [words.started, <Moment key="started" at={of.started_at} />],
          [
            words.migrations,
            migrations.pending.length === 0
              ? fill(words.applied, { count: migrations.applied })
              : fill(words.pending, { names: migrations.pending.join(", ") }),
          ],
          [
            words.configuration,
            configuration.pending ? words.configurationPending : words.configurationApplied,
          ],
          ...configuration.faults.map(
            ({ path, message }) => [path, <span key={path}>{message}</span>] as const,
          ),
        ]}
      />
    </Card>
  );
}
