import { digestOf, linkLifetimeMs, newLink, pathOfLink } from "../domain/console/session.ts";
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
    const link = newLink();
    const expiresAt = new Date(Date.now() + linkLifetimeMs);
    await createUnrecordedLink(db, {
      digest: digestOf(link),
      subject,
      madeBy: "development",
      expiresAt,
    });
    return pathOfLink(link);
  };
  const businesses = await Promise.all(
    businessIds.map((businessId) => make({ kind: "business", businessId, role: "developer" })),
  );
  return { businesses, operator: await make({ kind: "operator", role: "operator" }) };
}
