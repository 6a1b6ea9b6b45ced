/** See schema-engine.mjs. */
export function schemaDiff(url: string, from?: "database" | "nothing"): Promise<string>;
export function deployMigrations(url: string): Promise<string[]>;
