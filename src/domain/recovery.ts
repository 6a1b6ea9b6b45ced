/**
 * The question of the restore check: what has happened since a moment. `businessId` null: for all
 * businesses.
 */
export type RecoveryQuestion = { since: Date; businessId: string | null };

/**
 * The work that a restored database, or a replica that took over, will do again. With the key of
 * its ids.
 */
export type Recovery = {
  /** The fingerprint of the key from which ids are derived. */
  idKey: string;
  /**
   * Since when ids are derived with that key. Ids from earlier versions have no key. Null: no
   * business is older than the key, so all ids are derived with it.
   */
  idKeyMadeAt: Date | null;
  chains: RecoveredChain[];
  /** Notifications that this database does not know to be delivered. */
  waiting: { count: number; oldestAt: Date | null };
  /**
   * The number of notifications that this database has written since `since`. After a restore they
   * are written again.
   */
  written: number;
};

export type RecoveredChain = {
  name: string;
  /** The last block that this database has read; null: none yet. */
  position: { number: bigint; time: Date | null } | null;
  /** The number of transactions that are still to be confirmed, dropped or reversed. */
  pending: number;
};
