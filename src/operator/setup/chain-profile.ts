import type { ChainProfile } from "../../domain/chain/profile.ts";
import { knownProfiles, profileOf } from "../../domain/chain/profiles/known-profiles.ts";
import { invalidField } from "../../domain/text.ts";

/** Finds a known chain by its chain id, its whole name, or the beginning of its name. */
export function profileNamed(given: string): ChainProfile {
  const wanted = given.toLowerCase();
  if (knownProfiles.some(({ chainId }) => String(chainId) === wanted))
    return profileOf(Number(wanted));
  const whole = knownProfiles.filter((profile) => nameOf(profile) === wanted);
  const some = knownProfiles.filter((profile) => nameOf(profile).startsWith(wanted));
  const [found, ...others] = whole.length > 0 ? whole : some;
  if (found !== undefined && others.length === 0) return found;
  const names = (some.length > 0 ? some : knownProfiles).map(nameOf).toSorted().join(", ");
  throw invalidField("chain", `expected one of ${names}, or the id of one`);
}

/** The name of a chain in the API and in commands, such as `op-mainnet`. */
export function nameOf({ name }: ChainProfile): string {
  return name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replaceAll(/^-|-$/g, "");
}
