import type { Database } from "./database.ts";

/** Each table of a ledger, as `name` within `body`. */
const ofEachTable = (body: string) =>
  `DO $$ DECLARE name text; BEGIN
     FOR name IN SELECT relname FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace LOOP
       ${body}
     END LOOP;
   END $$`;

/**
 * Keeps the rows of a ledger as they are now, beside it. What is answered brings them back, whatever
 * became of them: so tests that change rows need one ledger between them. Once for each database.
 */
export async function keepRows(db: Database): Promise<() => Promise<void>> {
  await db.$executeRawUnsafe("CREATE SCHEMA kept");
  await db.$executeRawUnsafe(
    ofEachTable("EXECUTE format('CREATE TABLE kept.%I AS TABLE public.%1$I', name);"),
  );
  return async () => {
    await db.$executeRawUnsafe(
      ofEachTable(`SET LOCAL session_replication_role = replica;
        EXECUTE format('DELETE FROM public.%I', name);
        EXECUTE format('INSERT INTO public.%I TABLE kept.%1$I', name);`),
    );
  };
}
