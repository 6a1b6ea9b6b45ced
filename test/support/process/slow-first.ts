import { readFileSync } from "node:fs";
import { BaseSequencer, type TestSpecification } from "vitest/node";
import { parse } from "yaml";

type Order = { slow: Record<string, string>; early: string[] };

/**
 * Runs the files of test/slow-files.yaml before all others, in its order. So no long file begins
 * when the others have ended, and leaves a processor idle.
 */
export class SlowFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const text = readFileSync(new URL("../../slow-files.yaml", import.meta.url), "utf8");
    const { slow, early } = parse(text) as Order;
    const order = [...Object.keys(slow), ...early];
    const place = ({ moduleId }: TestSpecification) => {
      const found = order.findIndex((path) => moduleId.endsWith(path));
      return found < 0 ? order.length : found;
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
