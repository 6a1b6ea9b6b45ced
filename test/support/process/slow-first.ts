import { readFileSync } from "node:fs";
import { BaseSequencer, type TestSpecification } from "vitest/node";
import { parse } from "yaml";

/**
 * Runs the files of test/slow-files.yaml before all others, in its order. So no long file begins
 * when the others have ended, and leaves a processor idle.
 */
export class SlowFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const text = readFileSync(new URL("../../slow-files.yaml", import.meta.url), "utf8");
    const slow = Object.keys((parse(text) as { slow: Record<string, string> }).slow);
    const place = ({ moduleId }: TestSpecification) => {
      const found = slow.findIndex((path) => moduleId.endsWith(path));
      return found < 0 ? slow.length : found;
    };
    const sorted = await super.sort(files);
    const projects = [...new Set(sorted.map(({ project }) => project.name))];
    // A worker serves one project after the other.
    return projects.flatMap((name) =>
      sorted
        .filter(({ project }) => project.name === name)
        .sort((one, other) => place(one) - place(other)),
    );
  }
}
