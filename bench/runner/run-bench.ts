import type { Bench, Report } from "./bench.ts";
import { compareCommands } from "./compare-commands.ts";
import type { NamedLine } from "./line.ts";
import type { OtherCommit } from "./other-commit.ts";
import { runAlone } from "./run-alone.ts";

/**
 * Runs one benchmark, beside another commit where there is one. Answers its lines, or null where it
 * failed.
 */
export async function runBench(given: {
  name: string;
  bench: Bench;
  quick: boolean;
  other: OtherCommit | null;
  report: Report;
}): Promise<NamedLine[] | null> {
  const { name, bench, quick, other, report } = given;
  if (other === null) return runAlone({ name, quick, against: null });
  const hasWhatWeStart = other.hasPrograms || bench.needs === "daemon";
  if (hasWhatWeStart && (other.hasOurMigrations || !bench.sharesLedger)) {
    const against = { name: other.name, root: other.root };
    return runAlone({ name, quick, against });
  }
  report(`by the command of ${other.name} itself, in turn with ours`);
  return compareCommands({ name, quick, other, report });
}
