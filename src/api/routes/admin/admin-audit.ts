import { z } from "zod";
import { listAnswer } from "../../../schema/answers.ts";
import { given, pageFields, textField } from "../../../schema/fields.ts";
import { answers } from "../../answers/answers.ts";
import type { Acting } from "../../auth/administrator.ts";
import type { Web } from "../../http/web.ts";
import { shownAuditEntry } from "./admin-answers.ts";
import { type Listed, listBody, type PageInput, pageInput } from "./admin-lists.ts";

type AuditFilter = { actor?: string; action?: string; subject?: string };

export type AdminAuditDeps = {
  listAudit: (input: PageInput & AuditFilter) => Promise<Listed<z.output<typeof shownAuditEntry>>>;
};

const query = z.strictObject({
  actor: textField.optional(),
  action: textField.optional(),
  subject: textField.optional(),
  ...pageFields,
});

export function adminAuditRoutes(web: Web, commandsOf: Acting<AdminAuditDeps>): void {
  const schema = {
    tags: ["Administration: audit"],
    summary: "Who did what, and when",
    querystring: query,
    response: answers({ 200: listAnswer(shownAuditEntry) }),
  };
  web.get("/audit", { schema }, async (request) => {
    const { actor, action, subject } = request.query;
    const filter = given({ actor, action, subject });
    return listBody(
      await commandsOf(request).listAudit({ ...pageInput(request.query), ...filter }),
    );
  });
}
