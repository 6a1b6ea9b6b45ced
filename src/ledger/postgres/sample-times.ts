import { Prisma } from "../generated/client.ts";

/** Samples are kept for this long. */
export const keptSamples = Prisma.sql`interval '7 days'`;

/** The beginning of the ten minutes of a sample's time `at`. Charts have one value for each. */
export const tenMinutesOfSample = Prisma.sql`
  date_bin('10 minutes', at, timestamptz '2000-01-01T00:00:00Z')`;
