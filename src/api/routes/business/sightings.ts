import { z } from "zod";
import { mostSightingsOfDay, sightingsKeptMs } from "../../../domain/money/sighting.ts";
import { listAnswer, listBody } from "../../../schema/answers.ts";
import { pageFields, pageOf } from "../../../schema/fields.ts";
import {
  listedSighting,
  presentSighting,
  sightingFilterFields,
  sightingFilterOf,
} from "../../../schema/sighting.ts";
import { type ListDeps, listed } from "../../answers/served.ts";
import { businessOf } from "../../auth/authenticate.ts";
import type { Web } from "../../http/web.ts";

export type SightingsDeps = ListDeps;

const query = z.strictObject({ ...sightingFilterFields, ...pageFields });

const keptDays = sightingsKeptMs / 86_400_000;

export function sightingsRoutes(web: Web, deps: SightingsDeps): void {
  const schema = {
    tags: ["Sightings"],
    summary: "List the transfers of unlisted tokens",
    description: `Newest first. Transfers of tokens that are not configured, to wallets of the business. They are in no balance. At most ${mostSightingsOfDay} of a wallet and day are kept, for ${keptDays} days.`,
    querystring: query,
    response: { 200: listAnswer(listedSighting) },
    mayBeStale: true,
  };
  web.get("/sightings", { schema }, async (request, reply) => {
    const filter = sightingFilterOf(request.query);
    const asked = { businessId: businessOf(request), filter, page: pageOf(request.query) };
    const page = await listed(reply, deps, (ledger) => ledger.readSightings(asked));
    return listBody(page, presentSighting);
  });
}
