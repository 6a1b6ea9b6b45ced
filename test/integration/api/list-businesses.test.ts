import { expect, test } from "vitest";
import { eachTestApi } from "../../support/api/each-api.ts";

const api = eachTestApi();

test("businesses are listed by a part of their name, in any case, page by page", async () => {
  for (const name of ["Zürich Shop", "shop_50%", "Bazaar", "SHOPPING"])
    await api.admin("POST", "/businesses", { name });
  const list = async (query: string) =>
    (await api.admin("GET", `/businesses?${query}`)).json() as {
      data: { name: string }[];
      next_cursor: string | null;
    };
  const names = async (q: string) =>
    (await list(`q=${encodeURIComponent(q)}`)).data.map(({ name }) => name);
  expect(await names("shop")).toEqual(["SHOPPING", "shop_50%", "Zürich Shop"]);
  expect(await names("ZÜR")).toEqual(["Zürich Shop"]);
  expect(await names("p_5")).toEqual(["shop_50%"]);
  expect(await names("%")).toEqual(["shop_50%"]);
  expect(await names("nobody")).toEqual([]);
  const first = await list("q=shop&limit=2");
  const second = await list(`q=shop&limit=2&cursor=${first.next_cursor}`);
  expect([...first.data, ...second.data].map(({ name }) => name)).toEqual(await names("shop"));
  expect(second.next_cursor).toBe(null);
  expect((await api.admin("GET", "/businesses?q=")).statusCode).toBe(400);
});

test("businesses are listed by their ids, also of those by a part of the name", async () => {
  const ids: string[] = [];
  for (const name of ["First", "Second", "Third"])
    ids.push((await api.admin("POST", "/businesses", { name })).json().data.id);
  const list = async (query: string) => (await api.admin("GET", `/businesses?${query}`)).json();
  const names = ({ data }: { data: { name: string }[] }) => data.map(({ name }) => name);
  const [first, , third] = ids;
  const both = `ids=${first},${third}`;
  expect(names(await list(both))).toEqual(["Third", "First"]);
  const page = await list(`${both}&limit=1`);
  expect(names(page)).toEqual(["Third"]);
  expect(names(await list(`${both}&limit=1&cursor=${page.next_cursor}`))).toEqual(["First"]);
  expect(names(await list(`${both}&q=fir`))).toEqual(["First"]);
  expect(names(await list(`${both}&q=sec`))).toEqual([]);
  for (const refused of ["first", "", Array(101).fill(first).join()]) {
    const answer = await api.admin("GET", `/businesses?ids=${refused}`);
    expect([refused.length, answer.statusCode]).toEqual([refused.length, 400]);
  }
});
