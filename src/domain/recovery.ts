/** Of what recovery is asked: of everything since a moment, or of what is one business's. */
export type RecoveryQuestion = { since: Date; businessId: string | null };

/** What a database that was restored, or a replica that took over, will do once more, and with which ids. */
export type Recovery = {
  /** The fingerprint of what ids are derived with. */
  idKey: string;
  /** Since when ids are derived with it: what an earlier version announced has ids of no key. */
  idKeyMadeAt: Date;
  chains: RecoveredChain[];
  /** Not delivered, as far as this database knows. */
  waiting: { count: number; oldestAt: Date | null };
  /** Written by this database since the moment that was asked for: after a restore, once more. */
  written: number;
};

export type RecoveredChain = {
  name: string;
  /** The last block that this database has read; null: it has not begun. */
  position: { number: bigint; time: Date | null } | null;
  /** Transactions that are to be confirmed, dropped or reversed yet. */
  pending: number;
};
