import type { ComponentType } from "preact";
import { text } from "../text/text.ts";
import type { IconName } from "../ui/show/icon.tsx";
import type { Session } from "../wire/session.ts";
import { has, reading } from "../wire/use-session.ts";

/** `id` is the id of the thing that is chosen on the page: the end of the address. */
export type PageComponent = ComponentType<{ id: string | null }>;

export type PageEntry = {
  path: string;
  name: string;
  icon: IconName;
  load: () => Promise<PageComponent>;
};

const sessions = page(
  "sessions",
  async () => (await import("../pages/sessions/sessions-page.tsx")).SessionsPage,
  "/signed-in",
);

const ofBusiness: readonly PageEntry[] = [
  page(
    "overview",
    async () => (await import("../pages/overview/overview-page.tsx")).OverviewPage,
    "/",
  ),
  page(
    "transactions",
    async () => (await import("../pages/transactions/transactions-page.tsx")).TransactionsPage,
  ),
  page("wallets", async () => (await import("../pages/wallets/wallets-page.tsx")).WalletsPage),
  page(
    "sightings",
    async () => (await import("../pages/sightings/sightings-page.tsx")).SightingsPage,
  ),
  page(
    "deliveries",
    async () => (await import("../pages/deliveries/deliveries-page.tsx")).DeliveriesPage,
  ),
  page("webhooks", async () => (await import("../pages/webhooks/webhooks-page.tsx")).WebhooksPage),
  page("keys", async () => (await import("../pages/keys/keys-page.tsx")).KeysPage),
  page(
    "statements",
    async () => (await import("../pages/statements/statements-page.tsx")).StatementsPage,
  ),
  page("credits", async () => (await import("../pages/credits/credits-page.tsx")).CreditsPage),
  sessions,
];

const ofOperator: readonly PageEntry[] = [
  page(
    "attention",
    async () => (await import("../pages/attention/attention-page.tsx")).AttentionPage,
    "/",
  ),
  page("chains", async () => (await import("../pages/chains/chains-page.tsx")).ChainsPage),
  page(
    "discrepancies",
    async () => (await import("../pages/discrepancies/discrepancies-page.tsx")).DiscrepanciesPage,
  ),
  page("outbox", async () => (await import("../pages/outbox/outbox-page.tsx")).OutboxPage),
  page(
    "deliveries",
    async () => (await import("../pages/deliveries/all-deliveries-page.tsx")).AllDeliveriesPage,
  ),
  page(
    "businesses",
    async () => (await import("../pages/businesses/businesses-page.tsx")).BusinessesPage,
  ),
  page(
    "transactions",
    async () =>
      (await import("../pages/transactions/owned-transactions-page.tsx")).OwnedTransactionsPage,
  ),
  page(
    "wallets",
    async () => (await import("../pages/wallets/owned-wallets-page.tsx")).OwnedWalletsPage,
  ),
  page(
    "sightings",
    async () => (await import("../pages/sightings/sightings-page.tsx")).OwnedSightingsPage,
  ),
  page("audit", async () => (await import("../pages/audit/audit-page.tsx")).AuditPage),
  page("health", async () => (await import("../pages/health/health-page.tsx")).HealthPage),
  sessions,
];

type PageName = IconName &
  {
    [Name in keyof typeof text]: (typeof text)[Name] extends { title: string } ? Name : never;
  }[keyof typeof text];

/** A page at the path of its name, unless another path is given. */
function page(name: PageName, load: PageEntry["load"], path = `/${name}`): PageEntry {
  return { path, name: text[name].title, icon: name, load };
}

/**
 * The pages of a business or of an operator, in the order of the navigation. A token that may not
 * read has only the page of its sessions, as the start.
 */
export function pagesOf(session: Session): readonly PageEntry[] {
  if (!has(session, reading)) return [{ ...sessions, path: "/" }];
  return session.kind === "business" ? ofBusiness : ofOperator;
}

/** The page at a path, and the id that is chosen on it. Null where there is no page. */
export function pageAt(
  session: Session,
  path: string,
): { page: PageEntry; id: string | null } | null {
  const [, first = "", id, ...rest] = path.split("/");
  const page = pagesOf(session).find((one) => one.path === `/${first}`);
  if (page === undefined || rest.length > 0) return null;
  if (id === undefined || id === "") return { page, id: null };
  try {
    return { page, id: decodeURIComponent(id) };
  } catch {
    // The address has a percent sign that stands for no character.
    return null;
  }
}
