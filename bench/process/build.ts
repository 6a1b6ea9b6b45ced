import { existsSync } from "node:fs";
import { join } from "node:path";
import { inCheckout } from "../../test/support/checkout.ts";
import type { Programs } from "./protocol.ts";

/** The compiled daemon of one commit. */
export type Build = {
  /** "ours", or the commit as it was asked for. */
  name: string;
  /** The folder that it was built in. */
  root: string;
};

/** Of the checkout that this benchmark is part of. */
export const ourBuild: Build = { name: "ours", root: inCheckout() };

/** Ours, and the one that it is compared with where there is one. */
export function buildsWith(against: Build | null): Build[] {
  return against === null ? [ourBuild] : [ourBuild, against];
}

/** The daemon of a build. */
export function daemonFile({ root }: Build): string {
  const file = join(root, "dist", "bin", "main.js");
  // Where the first release had it.
  return existsSync(file) ? file : join(root, "dist", "main.js");
}

/**
 * A program of ../programs, as the build's own commit has it: it knows where in that commit lies
 * what is measured. So what programs are given, asked and answer must go on being understood; see
 * protocol.ts.
 */
export function programFile({ root }: Build, name: keyof Programs): string {
  return join(root, "dist-tools", "bench", "programs", `${name}.js`);
}
