import { z } from "zod";
import type { BusinessLedger } from "../../../domain/business/business-ledger.ts";
import { statementPeriod } from "../../../domain/evidence/statement-period.ts";
import { dataBody, timeText } from "../../../schema/answers.ts";
import { presentMatter, shownMatter } from "../../../schema/open-matter.ts";
import { answersWithData } from "../../answers/answers.ts";
import { businessOf } from "../../auth/authenticate.ts";
import type { Web } from "../../http/web.ts";
import { periodFields } from "./statements.ts";

export type OpenMattersDeps = Pick<BusinessLedger, "readKnownMatters"> & {
  /** The chains of the configuration. */
  chainNames: readonly string[];
};

const shown = z.object({
  from: timeText.meta({ description: "The beginning of the period. It is included." }),
  to: timeText.meta({ description: "The end of the period. It is not included." }),
  time_zone: z.string().meta({ examples: ["Europe/Zurich"] }),
  open: z
    .array(shownMatter)
    .meta({ description: "The open matters of the period. Empty: the ledger knows of none." }),
});

/** GET /open-matters: docs/contract.md#what-keeps-a-month-open. */
export function openMattersRoutes(web: Web, deps: OpenMattersDeps): void {
  const schema = {
    tags: ["Statements"],
    summary: "What keeps a period open",
    description:
      "It lists the matters that hinder the operator from closing the period for you. It asks no chain: `differs` is of the last comparison, and a close makes one. At most 1,000 of a kind.",
    ...answersWithData(shown),
    querystring: z.strictObject(periodFields),
  };
  web.get("/open-matters", { schema }, async (request) => {
    const { month, from, to, time_zone: zone } = request.query;
    const period = statementPeriod({ month, from, to, zone });
    const { chainNames } = deps;
    const asked = { businessId: businessOf(request), period, chainNames };
    const open = await deps.readKnownMatters(asked);
    return dataBody({
      from: period.from.toISOString(),
      to: period.to.toISOString(),
      time_zone: period.zone,
      open: open.map(presentMatter),
    });
  });
}
