import { fill, type Said, text } from "../../text/text.ts";
import { Banner } from "../../ui/frame/banner.tsx";
import { Worded } from "../../ui/show/english.tsx";
import type { Installed } from "../parts/installed.ts";
import { configChangeText, configFaultText } from "../parts/setup-text.ts";

/**
 * Notices on the setup. Pending migrations and faults of the configuration would keep the daemon
 * from starting again. Changes of the configuration are not applied yet.
 */
export function SetupBanners({ of }: { of: Installed }) {
  const words = text.health;
  const pending = of.pending_migrations;
  const faults = of.configuration_faults.map((fault) => ({
    of: fault.path === "" ? words.file : fault.path,
    line: configFaultText(fault),
  }));
  const changes = of.configuration_changes.map((change) => ({
    of: [change.chain, change.asset].filter(Boolean).join(" "),
    line: configChangeText(change),
  }));
  return (
    <>
      {pending.length > 0 && (
        <Banner tone="bad">{fill(words.pending, { names: pending.join(", ") })}</Banner>
      )}
      {faults.length > 0 && <Listed tone="bad" what={words.faults} lines={faults} />}
      {changes.length > 0 && <Listed tone="warn" what={words.changes} lines={changes} />}
    </>
  );
}

type Lines = {
  tone: "bad" | "warn";
  what: string;
  lines: readonly { of: string; line: Said }[];
};

function Listed({ tone, what, lines }: Lines) {
  return (
    <Banner tone={tone}>
      {what}
      <ul>
        {lines.map(({ of, line }) => (
          <li key={`${of} ${line.sentence}`} class="break">
            {of}: <Worded of={line} />
          </li>
        ))}
      </ul>
    </Banner>
  );
}
