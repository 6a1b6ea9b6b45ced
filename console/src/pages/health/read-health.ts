import { readOptional } from "../../wire/optional.ts";
import type { Asking } from "../../wire/use-answer.ts";

export type Part = { name: string; trouble: string | null };

/** What is known of the installation beside whether it works. */
export type Installed = {
  version: string;
  started_at: string;
  node: string;
  migrations: { applied: number; pending: string[] };
  configuration: {
    version: number | string | null;
    pending: boolean;
    faults: { path: string; message: string }[];
  };
  database: {
    size_bytes: string;
    tables: { name: string; rows: number; bytes: string }[];
  };
  disk: { free_bytes: number; total_bytes: number } | null;
};

/** Whether the parts work, and what more the server says of itself. */
export async function readHealth(as: Asking): Promise<{ parts: Part[]; more: Installed | null }> {
  const [ready, more] = await Promise.all([
    fetch("/health/ready", as),
    readOptional<{ data: Installed & { parts?: Part[] } }>("/admin/health", {}, as),
  ]);
  // The same form with 200 and with 503.
  const { services }: { services?: Part[] } = await ready.json();
  return { parts: more?.data.parts ?? services ?? [], more: more?.data ?? null };
}
