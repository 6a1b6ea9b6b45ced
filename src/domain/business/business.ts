/** A customer of the service. */
export type Business = {
  id: string;
  name: string;
  verifiedAt: Date | null;
  suspendedAt: Date | null;
  /** True if transaction.pending and transaction.dropped notify too. */
  notifyPending: boolean;
  /** The most deliveries in flight at once; null: the configured default. */
  inFlight: number | null;
  createdAt: Date;
};

/** The settings of a business that an operator may change. A setting that is left out stays. */
export type BusinessSettings = { name?: string; notifyPending?: boolean; inFlight?: number | null };
