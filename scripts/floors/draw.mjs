// @ts-check
// The table of floors.yaml as src/README.md shows it, and the pictures of docs/floors.md.
import config from "../../.dependency-cruiser.mjs";

// One of the tools of test/package.json, which are found from test/ alone.
const library = "../../test/node_modules/dependency-cruiser/src/main/index.mjs";
/** @type {typeof import("dependency-cruiser")} */
const { cruise, format } = await import(library);

/** @typedef {import("./table.mjs").Table} Table */
/** @typedef {import("./table.mjs").Room} Room */

/**
 * The rooms from top to bottom, one line each.
 * @param {Table} table
 */
export function listRooms(table) {
  const lines = ["| floor | room | what lives here | may import | what comes here next |"];
  lines.push("|---|---|---|---|---|");
  let floor = "";
  for (const room of table.rooms) {
    const imports = room.says.map((name) => `\`${name}\``).join(", ");
    const label = room.floor === floor ? "" : room.floor;
    lines.push(
      `| ${label} | \`${room.name}/\` | ${room.holds} | ${imports || "nothing of ours"} | ${room.next} |`,
    );
    floor = room.floor;
  }
  return lines.join("\n");
}

/**
 * Who may import which library.
 * @param {Table} table
 */
export function listLibraries(table) {
  const rows = table.libraryRows.map(
    ([name, owners]) => `| ${name} | ${owners.map((owner) => `\`${owner}\``).join(", ")} |`,
  );
  return ["| library | who may import it |", "|---|---|", ...rows].join("\n");
}

/**
 * What is imported in src/, drawn by dependency-cruiser: the floors' folders, then the rooms of
 * each folder that has some. Reads every source file of the checkout; the working folder is its
 * root.
 * @param {Table} table
 */
export async function drawFloors(table) {
  const { output } = await cruise(["src"], {
    ...config.options,
    includeOnly: "^src/",
  });
  if (typeof output === "string") throw new Error(output);
  const draw = async (/** @type {string} */ within) => {
    const options = { includeOnly: within, collapse: `${within}[^/]+` };
    const picture = await format(output, { ...options, outputType: "mermaid" });
    return `\`\`\`mermaid\n${inOrder(String(picture.output).trim())}\n\`\`\``;
  };
  const roomNames = table.rooms.filter((room) => !room.generated).map((room) => room.name);
  const houses = roomNames.filter((name) => roomNames.some((each) => each.startsWith(`${name}/`)));
  const pictures = new Map([["The folders of src/", await draw("^src/")]]);
  for (const house of houses) {
    if (house.includes("/")) continue;
    pictures.set(`The rooms of ${house}/`, await draw(`^src/${house}/`));
  }
  const parts = [...pictures].map(([title, picture]) => `## ${title}\n\n${picture}`);
  return [contentsOf([...pictures.keys()]), ...parts].join("\n\n");
}

/** @param {string[]} titles */
function contentsOf(titles) {
  const links = titles.map((title) => {
    const anchor = title.toLowerCase().replaceAll(" ", "-").replaceAll("/", "");
    return `[${title}](#${anchor})`;
  });
  return `**Contents:**\n${links.join(" ·\n")}`;
}

/**
 * A picture with its arrows in an order that does not depend on which file is read first.
 * @param {string} picture
 */
function inOrder(picture) {
  const lines = picture.split("\n");
  const isArrow = (/** @type {string} */ line) => line.includes("-->");
  const others = lines.filter((line) => !isArrow(line));
  return [...others, ...lines.filter(isArrow).sort()].join("\n");
}
