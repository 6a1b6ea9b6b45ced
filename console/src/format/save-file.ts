/** Makes the browser save a text, or the parts of one, as a file. */
export function saveFile(
  name: string,
  content: string | readonly BlobPart[],
  type = "text/csv",
): void {
  const parts = typeof content === "string" ? [content] : [...content];
  const url = URL.createObjectURL(new Blob(parts, { type: `${type};charset=utf-8` }));
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  URL.revokeObjectURL(url);
}
