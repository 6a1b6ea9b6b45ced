import { z } from "zod";
import { canonicalJson } from "../../domain/evidence/canonical-json.ts";
import type { Sign } from "../../domain/evidence/signing-key.ts";
import { Fault } from "../../domain/fault.ts";
import { count, idText, timeText } from "../../schema/answers.ts";
import { shownMatter } from "../../schema/open-matter.ts";
import { shownStatement } from "../../schema/statement.ts";
import type { FolderFiles } from "../folder-files.ts";
import { readSigned, type Signedness, signDocument, signedFields } from "../signed-document.ts";

// The index of a folder in which a period was closed.

/** A file within the folder. A path that leads out of the folder is refused. */
const listedFile = z.object({
  file: z.string().regex(/^[0-9a-f-]{36}\/[A-Za-z0-9_-][A-Za-z0-9._-]*$/),
  sha256: z.string(),
  size: count,
});

/** The reason why a chain has no attestation. */
const notAttested = z.object({
  blockchain: z.string(),
  /** `unavailable`: its endpoints failed. Another run can add the attestation. */
  why: z.enum(["not_configured", "nothing_recorded", "unavailable"]),
  what: z.string(),
});

const written = z.object({
  business_id: idText,
  name: z.string(),
  closed_at: timeText,
  statement_id: idText,
  statement_digest: z.string(),
  chains: shownStatement.shape.chains,
  not_attested: z.array(notAttested),
  files: z.array(listedFile),
});

const business = z.discriminatedUnion("status", [
  written.extend({ status: z.literal("closed") }),
  /** A chain was not compared, or not attested, because its endpoints failed. */
  written.extend({ status: z.literal("unfinished") }),
  z.object({
    status: z.literal("refused"),
    business_id: idText,
    name: z.string(),
    open: z.array(shownMatter),
  }),
]);

const chain = z.discriminatedUnion("status", [
  z.object({
    status: z.literal("compared"),
    blockchain: z.string(),
    at: timeText,
    compared: count,
    not_shown: count,
  }),
  z.object({
    status: z.literal("unavailable"),
    blockchain: z.string(),
    at: timeText,
    /** The code of the fault. An endpoint's own words are only for the operator. */
    code: z.string(),
  }),
]);

const content = z.object({
  close: z.literal(1),
  from: timeText,
  to: timeText,
  time_zone: z.string(),
  ledger: z
    .object({
      checked_at: timeText,
      entries: count,
      heads: z.array(z.object({ blockchain: z.string(), number: count, hash: z.string() })),
    })
    .nullable(),
  /** Each with its latest comparison. */
  chains: z.array(chain),
  businesses: z.array(business),
});

export type ClosingIndex = z.output<typeof content>;
export type ListedBusiness = z.output<typeof business>;
export type ListedChain = z.output<typeof chain>;
export type NotAttested = z.output<typeof notAttested>;
/** A business whose files are in the folder. */
export type WrittenBusiness = Exclude<ListedBusiness, { status: "refused" }>;

export function isWritten(listed: ListedBusiness): listed is WrittenBusiness {
  return listed.status !== "refused";
}

export const indexName = "index.json";

/**
 * Reads the index of a folder. Null: it has none.
 * @param publicKeys keys, one of which must have signed the index
 * @throws Fault `invalid_request` if the file is not such an index
 */
export async function readIndex(
  { readText }: Pick<FolderFiles, "readText">,
  folder: string,
  publicKeys: readonly string[],
): Promise<{ index: ClosingIndex; signedness: Signedness } | null> {
  const path = `${folder}/${indexName}`;
  const text = await readText(path);
  if (text === null) return null;
  const schema = content.extend(signedFields.shape);
  const read = readSigned(text, { what: "close", schema, publicKeys });
  if (read === null)
    throw new Fault("invalid_request", `${path} is not the index of a closed period.`);
  const { digest: _, signature: __, ...index } = read.document;
  return { index, signedness: read.signedness };
}

/** Signs the index, and replaces the stored one, as canonical JSON. */
export async function writeIndex(
  { folderFiles, sign }: { folderFiles: Pick<FolderFiles, "replace">; sign: Sign },
  folder: string,
  index: ClosingIndex,
): Promise<void> {
  const ordered = {
    ...index,
    chains: index.chains.toSorted((one, other) => (one.blockchain < other.blockchain ? -1 : 1)),
    businesses: index.businesses.toSorted((one, other) =>
      one.business_id < other.business_id ? -1 : 1,
    ),
  };
  const document = await signDocument(sign, "close", ordered);
  await folderFiles.replace(`${folder}/${indexName}`, `${canonicalJson(document)}\n`);
}

/** The files of the index that are missing in the folder, or that have changed. */
export async function filesAtFault(
  { digest }: Pick<FolderFiles, "digest">,
  folder: string,
  { files }: Pick<WrittenBusiness, "files">,
): Promise<{ file: string; isMissing: boolean }[]> {
  const found: { file: string; isMissing: boolean }[] = [];
  for (const { file, sha256 } of files) {
    const now = await digest(`${folder}/${file}`);
    if (now?.sha256 !== sha256) found.push({ file, isMissing: now === null });
  }
  return found;
}
