/**
 * The question of the restore check: about everything since a moment. `businessId` null: all
 * businesses.
 */
export type RecoveryQuestion = { since: Date; businessId: string | null };

/**
 * The work that a restored database, or a replica that took over, will do once more, and its ids.
 */
export type Recovery = {
  /** The fingerprint of the key that ids are derived with. */
  idKey: string;
  /**
   * The time since which ids are derived with that key. The ids that an earlier version announced
   * are of no key. Null: no business is older than the key, so every id is of it.
   */
  idKeyMadeAt: Date | null;
  chains: RecoveredChain[];
  /** Notifications that are not delivered, as far as this database knows. */
  waiting: { count: number; oldestAt: Date | null };
  /**
   * Notifications that this database has written since `since`. After a restore they are written
   * once more.
   */
  written: number;
};

export type RecoveredChain = {
  name: string;
  /** The last block that this database has read; null: it has not begun. */
  position: { number: bigint; time: Date | null } | null;
  /** Transactions that are still to be confirmed, dropped or reversed. */
  pending: number;
};
