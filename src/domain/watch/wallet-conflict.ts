import { Fault } from "../fault.ts";

/** A wallet that a business already has. */
export type WalletConflict = {
  blockchain: string;
  address: string;
  walletId: string;
  businessId: string;
  businessName: string;
};

/** Fault `wallet_exists`. It names the wallets' owners, for the administrator only. */
export class WalletExists extends Fault {
  readonly conflicts: readonly WalletConflict[];
  /** The number of refused wallets. `conflicts` may name fewer. */
  readonly count: number;

  constructor(count: number, conflicts: readonly WalletConflict[]) {
    const which = count === 1 ? "The address is" : `${count} of the addresses are`;
    super("wallet_exists", `${which} watched already on that blockchain; nothing was added.`, {
      facts: { count, conflicts },
    });
    this.conflicts = conflicts;
    this.count = count;
  }
}
