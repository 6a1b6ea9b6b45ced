import type { DecidedByBalance, MatchedBlock } from "../../domain/money/matched-transaction.ts";
import { arrayLiteral, byteaArray } from "../postgres/array-literal.ts";
import type { Statements } from "../postgres/statements.ts";
import { onChainStatuses } from "./transaction-words.ts";

type Decided = MatchedBlock & { byBalance: DecidedByBalance };

/** A movement in a block. */
type Place = { header: MatchedBlock["header"]; identity: string };

/**
 * Decides about movements whose balance is not shown now, by what it has shown before. So a block
 * that is read again after its state is gone says the same as before. The caller holds the chain's
 * lock.
 *
 * - A transfer that brought nothing in this block is left out.
 * - An echo that the ledger has in this block is kept, for a balance has shown it. A completed one
 *   is also kept in another block, since the business was notified of it.
 *
 * Also remembers the transfers that brought nothing, while a rewind can reach their blocks.
 * @returns the given blocks themselves, if nothing is decided this way
 */
export async function asShownBefore(
  tx: Statements,
  chainName: string,
  blocks: readonly MatchedBlock[],
): Promise<readonly MatchedBlock[]> {
  const decided = blocks.filter((block): block is Decided => block.byBalance !== undefined);
  if (decided.length === 0) return blocks;
  await keepEmpty(
    tx,
    chainName,
    placesOf(decided, ({ empty }) => empty),
  );
  const unmeasured = placesOf(decided, (byBalance) => byBalance.unmeasured);
  const echoes = placesOf(decided, (one) => one.echoes.map(({ identity }) => identity));
  const [empty, kept] = [await readEmpty(tx, chainName, unmeasured), await readEchoes(tx, echoes)];
  if (empty.size === 0 && kept.size === 0) return blocks;
  return blocks.map((block) => {
    const { header, matched, byBalance } = block;
    const isKept = (one: { identity: string }) => kept.has(keyOf({ header, ...one }));
    const isEmpty = (one: { identity: string }) => empty.has(keyOf({ header, ...one }));
    const all = [...matched, ...(byBalance?.echoes ?? []).filter(isKept)];
    return {
      ...block,
      matched: all.filter((one) => !isEmpty(one)).sort((a, b) => a.ordinal - b.ordinal),
    };
  });
}

const keyOf = ({ header, identity }: Place) => `${header.hash}/${identity}`;

function placesOf(
  blocks: readonly Decided[],
  read: (byBalance: DecidedByBalance) => readonly string[],
): Place[] {
  return blocks.flatMap(({ header, byBalance }) =>
    read(byBalance).map((identity) => ({ header, identity })),
  );
}

/** Deletes older ones, in blocks that no rewind reaches any more. */
async function keepEmpty(
  tx: Statements,
  chainName: string,
  places: readonly Place[],
): Promise<void> {
  if (places.length === 0) return;
  await tx.$executeRaw`
    WITH unreachable AS (
      DELETE FROM empty_transfer WHERE chain_name = ${chainName}
        AND block_number < (SELECT min(number) FROM block WHERE chain_name = ${chainName})
    )
    INSERT INTO empty_transfer (chain_name, block_number, block_hash, identity)
    SELECT ${chainName}, r.* FROM unnest(${arrayLiteral(places.map(({ header }) => header.number))}::bigint[],
      ${arrayLiteral(places.map(({ header }) => header.hash))}::text[],
      ${byteaArray(places.map(({ identity }) => identity))}::bytea[]) AS r
    ON CONFLICT DO NOTHING`;
}

async function readEmpty(
  tx: Statements,
  chainName: string,
  places: readonly Place[],
): Promise<ReadonlySet<string>> {
  if (places.length === 0) return new Set();
  const rows = await tx.$queryRaw<{ key: string }[]>`
    SELECT e.block_hash || '/' || encode(e.identity, 'hex') AS key
    FROM unnest(${arrayLiteral(places.map(({ header }) => header.number))}::bigint[],
        ${arrayLiteral(places.map(({ header }) => header.hash))}::text[],
        ${byteaArray(places.map(({ identity }) => identity))}::bytea[]) AS r(number, hash, identity)
      JOIN empty_transfer e ON e.chain_name = ${chainName} AND e.block_number = r.number
        AND e.block_hash = r.hash AND e.identity = r.identity`;
  return new Set(rows.map(({ key }) => key));
}

async function readEchoes(tx: Statements, places: readonly Place[]): Promise<ReadonlySet<string>> {
  if (places.length === 0) return new Set();
  const rows = await tx.$queryRaw<{ key: string }[]>`
    SELECT r.hash || '/' || encode(r.identity, 'hex') AS key
    FROM unnest(${arrayLiteral(places.map(({ header }) => header.hash))}::text[],
        ${byteaArray(places.map(({ identity }) => identity))}::bytea[]) AS r(hash, identity)
      JOIN transaction t ON t.identity = r.identity
    WHERE t.status IN (${onChainStatuses}) AND (t.block_hash = r.hash OR t.status = 'completed')`;
  return new Set(rows.map(({ key }) => key));
}
