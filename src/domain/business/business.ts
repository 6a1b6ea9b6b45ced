/** A customer of the operator. */
export type Business = {
  id: string;
  name: string;
  /** The name in the register; null: not known. Statements have it at their head. */
  legalName: string | null;
  /** The postal address, in lines; null: it is not known. */
  address: string | null;
  verifiedAt: Date | null;
  suspendedAt: Date | null;
  /** True if transaction.pending and transaction.dropped are notified too. */
  notifyPending: boolean;
  /** The most deliveries in flight at once; null: the configured default. */
  inFlight: number | null;
  /** The most attempts a second, at all of its webhooks together; null: no limit. */
  rate: number | null;
  createdAt: Date;
};

/** The settings of a business that an operator may change. A setting that is left out stays. */
export type BusinessSettings = {
  name?: string;
  legalName?: string | null;
  address?: string | null;
  notifyPending?: boolean;
  inFlight?: number | null;
  rate?: number | null;
};

/** The businesses that are asked for: with a text in their name, and of some ids. */
export type BusinessFilter = { named?: string | undefined; ids?: readonly string[] | undefined };
