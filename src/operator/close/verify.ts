import { Fault } from "../../domain/fault.ts";
import { defineCommand } from "../define-command.ts";
import type { FolderFiles } from "../folder-files.ts";
import { argument, publicKey, required } from "../parameter.ts";
import type { Signedness } from "../signed-document.ts";
import {
  filesAtFault,
  indexName,
  isWritten,
  readIndex,
  type WrittenBusiness,
} from "./closing-index.ts";

export type CloseVerifyPorts = { folderFiles: Pick<FolderFiles, "readText" | "digest" | "list"> };

const wrongSignature: Readonly<Record<Signedness, string | null>> = {
  signed: null,
  changed: "was changed",
  other_key: "is not signed by this key",
};

/**
 * Verifies that the key signed the index of a closed period. The folder must have exactly the files
 * that the index lists. Any other file, such as a note, is named. A reader could take it for a part
 * of what was signed. Needs no configuration, no database and no network.
 * @throws Fault `invalid_request` if there is no index
 */
export const closeVerify = defineCommand({
  noun: "close",
  name: "verify",
  help: "Verify offline a folder that close filled: its index by its signature, and every file by the index's digest. Status 3 where a file is missing, was changed or is not listed there, or another key signed the index. `statement verify` and the program verify-attestation verify what the files say.",
  examples: ["close verify 2026-10 --key $KEY", "close verify 2026-10 --key $KEY --json"],
  takes: {
    folder: argument("<folder>", "the folder that `close` filled"),
    key: required("--key <key>", publicKey, "the installation's public key, from elsewhere"),
  },
  async run({ folderFiles }: CloseVerifyPorts, { folder, key }: { folder: string; key: string }) {
    const read = await readIndex(folderFiles, folder, [key]);
    if (read === null)
      throw new Fault("invalid_request", `There is no ${indexName} in the folder ${folder}.`);
    const { index, signedness } = read;
    const written = index.businesses.filter(isWritten);
    const findings: { file: string; what: string }[] = [];
    const wrong = wrongSignature[signedness];
    if (wrong !== null) findings.push({ file: indexName, what: wrong });
    for (const one of written)
      for (const { file, isMissing } of await filesAtFault(folderFiles, folder, one))
        findings.push({ file, what: isMissing ? "is missing" : "was changed" });
    const listed = new Set([indexName, ...written.flatMap(namesOf)]);
    for (const file of await folderFiles.list(folder))
      if (!listed.has(file)) findings.push({ file, what: "is not in the index" });
    const many = (status: string) => index.businesses.filter((one) => one.status === status).length;
    return {
      folder,
      from: index.from,
      to: index.to,
      closed: many("closed"),
      unfinished: many("unfinished"),
      refused: many("refused"),
      files: written.reduce((sum, { files }) => sum + files.length, 0),
      findings,
    };
  },
  hasFindings: ({ findings }) => findings.length > 0,
});

function namesOf({ files }: WrittenBusiness): string[] {
  return files.map(({ file }) => file);
}
