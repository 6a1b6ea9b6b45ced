/**
 * An advisory lock's number, "chainbell claims" in digits. One relay claims at a time, so that two
 * never fill the same slots. A claim that holds it waits for no row. Any other transaction that
 * changes the turns of current webhooks holds it too (docs/decisions/0107-order-of-a-wallet.md).
 */
export const claimLock = 7_163_384_643_246_253n;
