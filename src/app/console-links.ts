import { newLink } from "../domain/console/session.ts";
import { createUnrecordedLink } from "../ledger/console/links.ts";
import type { Database } from "../ledger/postgres/database.ts";

/**
 * Development mode: makes paths that open the console signed in. There is one for each of these
 * businesses and one for an operator. Each works once, within ten minutes. They may be printed:
 * whoever reads that output has access to the whole data directory already.
 */
export async function makeConsoleLinks(
  db: Database,
  businessIds: readonly string[],
): Promise<{ businesses: string[]; operator: string }> {
  const make = async (subject: Parameters<typeof createUnrecordedLink>[1]["subject"]) => {
    const { digest, path, expiresAt } = newLink(Date.now());
    const by = { madeBy: "development", keyId: null };
    await createUnrecordedLink(db, { digest, subject, ...by, expiresAt });
    return path;
  };
  const businesses = await Promise.all(
    businessIds.map((businessId) => make({ kind: "business", businessId, role: "developer" })),
  );
  return { businesses, operator: await make({ kind: "operator", role: "operator" }) };
}
