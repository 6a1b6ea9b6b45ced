import { fill, text } from "../../text/text.ts";
import { Banner } from "../../ui/frame/banner.tsx";
import type { Installed } from "../parts/installed.ts";

/**
 * Notices on the setup. Pending migrations and faults of the configuration would keep the daemon
 * from starting again. Changes of the configuration are not applied yet.
 */
export function SetupBanners({ of }: { of: Installed }) {
  const words = text.health;
  const pending = of.pending_migrations;
  const faults = of.configuration_faults.map(({ path, message }) =>
    fill(words.fault, { path: path === "" ? words.file : path, message }),
  );
  const changes = of.configuration_changes.map(
    ({ chain, asset, change }) => `${[chain, asset].filter(Boolean).join(" ")} ${change}`,
  );
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

type Lines = { tone: "bad" | "warn"; what: string; lines: readonly string[] };

function Listed({ tone, what, lines }: Lines) {
  return (
    <Banner tone={tone}>
      {what}
      <ul>
        {lines.map((line) => (
          <li key={line} class="break">
            {line}
          </li>
        ))}
      </ul>
    </Banner>
  );
}
