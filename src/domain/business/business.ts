/** A customer of the service. */
export type Business = {
  id: string;
  name: string;
  /** As registers have it; null: it is not known. The head of statements has it. */
  legalName: string | null;
  /** The postal address, in lines; null: it is not known. */
  address: string | null;
  verifiedAt: Date | null;
  suspendedAt: Date | null;
  /** True if transaction.pending and transaction.dropped notify too. */
  notifyPending: boolean;
  /** The most deliveries in flight at once; null: the configured default. */
  inFlight: number | null;
  /** Attempts a second at most, at all of its webhooks together; null: not limited. */
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
