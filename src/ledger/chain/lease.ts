import { type Database, reaching } from "../postgres/database.ts";

/**
 * Takes a lease, or keeps it: true while this holder has it for the next `ttlMs` by the database's clock. It spares
 * other processes the same work; correctness never rests on it. Safe to repeat.
 */
export async function takeLease(
  db: Database,
  lease: { name: string; holder: string; ttlMs: number },
): Promise<boolean> {
  const { name, holder, ttlMs } = lease;
  const taken = await reaching(
    () => db.$executeRaw`
      INSERT INTO lease (name, holder, expires_at) VALUES (${name}, ${holder}::uuid, now() + ${ttlMs} * interval '1 ms')
      ON CONFLICT (name) DO UPDATE SET holder = EXCLUDED.holder, expires_at = EXCLUDED.expires_at
      WHERE lease.holder = EXCLUDED.holder OR lease.expires_at < now()`,
  );
  return taken === 1;
}

/** Gives a lease up at once, if this holder has it. */
export async function releaseLease(
  db: Database,
  lease: { name: string; holder: string },
): Promise<void> {
  await reaching(() => db.lease.deleteMany({ where: { name: lease.name, holder: lease.holder } }));
}
