/** A customer of the service. */
export type Business = {
  id: string;
  name: string;
  verifiedAt: Date | null;
  suspendedAt: Date | null;
  /** Whether transaction.pending and transaction.dropped notify too. */
  notifyPending: boolean;
  /** Deliveries in flight at once; null: the configured default. */
  inFlight: number | null;
  createdAt: Date;
};

/** What an operator may change of a business; what is left out stays. */
export type BusinessSettings = { name?: string; notifyPending?: boolean; inFlight?: number | null };
