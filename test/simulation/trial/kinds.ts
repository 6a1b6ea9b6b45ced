import type { Profile } from "../profile.ts";
import type { Random } from "../random.ts";
import { castAimed } from "./aimed-cast.ts";
import { type Cast, plainCast } from "./cast.ts";
import { castLiars } from "./liars-cast.ts";
import { castStreams } from "./streams-cast.ts";
import { castToday } from "./today-cast.ts";

/** Three in ten of all seeds are plain. */
export const castKinds = ["plain", "liars", "today", "aimed", "streams"] as const;

export type CastKind = (typeof castKinds)[number];

/** Chosen by the seed, whatever the rest of its world is like. */
export function kindOf(random: Random): CastKind {
  const place = random.next();
  if (place < 0.3) return "liars";
  if (place < 0.5) return "today";
  if (place < 0.6) return "aimed";
  // In between: seeds that are known for what they have found as plain ones stay plain.
  return place >= 0.65 && place < 0.75 ? "streams" : "plain";
}

/** The cast of a seed, and its world as far as it must be another one for it. */
export function castFor(
  random: Random,
  profile: Profile,
  kind: CastKind,
): { cast: Cast; profile: Profile } {
  switch (kind) {
    case "plain":
      return { profile, cast: plainCast(profile) };
    case "liars":
      return castLiars(random, profile);
    case "today":
      return castToday(random, profile);
    case "aimed":
      return castAimed(random, profile);
    case "streams":
      return castStreams(random, profile);
  }
}
