import { keysOf } from "../../domain/keys-of.ts";
import {
  isCorrectionType,
  isOnChain,
  notifiedTypes,
  transactionStatuses,
  transactionTypes,
} from "../../domain/money/transaction.ts";
import { words } from "../postgres/words.ts";

const statuses = keysOf(transactionStatuses);

/** `status IN (...)`: on the chain, pending or confirmed. */
export const onChainStatuses = words(statuses.filter(isOnChain));

/**
 * `status IN (...)`: left the chain. Such a transaction is pending again once it is included again.
 */
export const goneStatuses = words(statuses.filter((status) => !isOnChain(status)));

/** `type IN (...)`: every type. An index whose columns begin with the type serves it. */
export const everyTypeWords = words(keysOf(transactionTypes));

/** `type IN (...)`: as in the conditions of the list's indexes. */
export const notifiedTypeWords = words(notifiedTypes);

/** `type IN (...)`: the types that the reconciler writes. */
export const correctionTypes = words(keysOf(transactionTypes).filter(isCorrectionType));
