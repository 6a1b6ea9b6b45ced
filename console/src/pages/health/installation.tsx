import { fill, text } from "../../text/text.ts";
import { Facts } from "../../ui/data/facts.tsx";
import { Card } from "../../ui/frame/card.tsx";
import { Moment } from "../../ui/show/moment.tsx";
import type { Installed } from "../parts/installed.ts";

/** The version that runs, its start, the applied migrations and the configuration's version. */
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
          [words.migrations, fill(words.applied, { count: migrations.length })],
          [words.newest, migrations[0] ?? "–"],
          configuration === null
            ? null
            : [
                words.configuration,
                <span key="configuration">
                  {fill(words.configurationVersion, { version: configuration.version })}{" "}
                  <Moment at={configuration.applied_at} />
                </span>,
              ],
        ]}
      />
    </Card>
  );
}
