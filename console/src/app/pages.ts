import type { ComponentType } from "preact";
import { text } from "../text/text.ts";
import type { IconName } from "../ui/show/icon.tsx";
import type { Session } from "../wire/session.ts";

/** `id` is what is chosen on the page: what its address has behind the page's own. */
export type PageComponent = ComponentType<{ id: string | null }>;

export type PageEntry = {
  path: string;
  name: string;
  icon: IconName;
  load: () => Promise<PageComponent>;
};

const sessions: PageEntry = {
  path: "/signed-in",
  name: text.sessions.title,
  icon: "sessions",
  load: async () => (await import("../pages/sessions/sessions-page.tsx")).SessionsPage,
};

const ofBusiness: readonly PageEntry[] = [
  {
    path: "/",
    name: text.overview.title,
    icon: "overview",
    load: async () => (await import("../pages/overview/overview-page.tsx")).OverviewPage,
  },
  {
    path: "/transactions",
    name: text.transactions.title,
    icon: "transactions",
    load: async () =>
      (await import("../pages/transactions/transactions-page.tsx")).TransactionsPage,
  },
  {
    path: "/wallets",
    name: text.wallets.title,
    icon: "wallets",
    load: async () => (await import("../pages/wallets/wallets-page.tsx")).WalletsPage,
  },
  {
    path: "/deliveries",
    name: text.deliveries.title,
    icon: "deliveries",
    load: async () => (await import("../pages/deliveries/deliveries-page.tsx")).DeliveriesPage,
  },
  {
    path: "/webhooks",
    name: text.webhooks.title,
    icon: "webhooks",
    load: async () => (await import("../pages/webhooks/webhooks-page.tsx")).WebhooksPage,
  },
  {
    path: "/keys",
    name: text.keys.title,
    icon: "keys",
    load: async () => (await import("../pages/keys/keys-page.tsx")).KeysPage,
  },
  {
    path: "/statements",
    name: text.statements.title,
    icon: "statements",
    load: async () => (await import("../pages/statements/statements-page.tsx")).StatementsPage,
  },
  sessions,
];

const ofOperator: readonly PageEntry[] = [
  {
    path: "/",
    name: text.chains.title,
    icon: "chains",
    load: async () => (await import("../pages/chains/chains-page.tsx")).ChainsPage,
  },
  {
    path: "/discrepancies",
    name: text.discrepancies.title,
    icon: "discrepancies",
    load: async () =>
      (await import("../pages/discrepancies/discrepancies-page.tsx")).DiscrepanciesPage,
  },
  {
    path: "/outbox",
    name: text.outbox.title,
    icon: "outbox",
    load: async () => (await import("../pages/outbox/outbox-page.tsx")).OutboxPage,
  },
  {
    path: "/businesses",
    name: text.businesses.title,
    icon: "businesses",
    load: async () => (await import("../pages/businesses/businesses-page.tsx")).BusinessesPage,
  },
  {
    path: "/audit",
    name: text.audit.title,
    icon: "audit",
    load: async () => (await import("../pages/audit/audit-page.tsx")).AuditPage,
  },
  {
    path: "/health",
    name: text.health.title,
    icon: "health",
    load: async () => (await import("../pages/health/health-page.tsx")).HealthPage,
  },
  sessions,
];

/** The pages of a business or of an operator, in the order of the navigation. */
export function pagesOf(kind: Session["kind"]): readonly PageEntry[] {
  return kind === "business" ? ofBusiness : ofOperator;
}

/** The page at a path, and what is chosen on it; null where there is none. */
export function pageAt(
  kind: Session["kind"],
  path: string,
): { page: PageEntry; id: string | null } | null {
  const [, first = "", id, ...rest] = path.split("/");
  const page = pagesOf(kind).find((one) => one.path === `/${first}`);
  if (page === undefined || rest.length > 0) return null;
  return { page, id: id === undefined || id === "" ? null : decodeURIComponent(id) };
}
