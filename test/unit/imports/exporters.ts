/** Writes members in each layout that an import reads, as bots, databases, spreadsheets and scrapers do. */

/** A member as an exporter has it. */
export interface ExportedMember {
  readonly userId: string;
  readonly xp: number;
  readonly username: string | null;
  readonly level: number;
  readonly hidden: boolean;
}

/** What a layout keeps of a member beside its id and XP. */
type Kept = 'username' | 'level' | 'hidden';

/** A layout of files. */
export interface Layout {
  readonly keeps: readonly Kept[];
  /** Returns the text of a file. */
  write(members: readonly ExportedMember[]): string;
  /** The fields that a person names, for a layout of no known bot. */
  readonly map?: Readonly<Record<string, string>>;
}

const GUILD = '811111111111111111';
const json = JSON.stringify;
const lines = (values: readonly unknown[]): string => values.map((value) => `${json(value)}\n`).join('');
/** Returns members by their ids. */
const byId = (members: readonly ExportedMember[], value: (member: ExportedMember) => unknown) =>
  Object.fromEntries(members.map((member) => [member.userId, value(member)]));
/** Returns members in pages of two. */
const inPages = <T>(list: readonly T[]): T[][] =>
  Array.from({ length: Math.ceil(list.length / 2) }, (_, page) => list.slice(2 * page, 2 * page + 2));

const own = ({ userId, xp, username, level, hidden }: ExportedMember) => ({
  user_id: userId,
  xp,
  username,
  level,
  hidden,
});
const mee6 = ({ userId, xp, username, level }: ExportedMember) => ({
  detailed_xp: [1, 100, xp],
  guild_id: GUILD,
  id: userId,
  level,
  username,
  xp,
});
const mee6Page = (members: readonly ExportedMember[], page: number) => ({
  guild: { id: GUILD },
  page,
  players: members.map(mee6),
});
const discordXp = ({ userId, xp, level }: ExportedMember) => ({ userID: userId, guildID: GUILD, xp, level });
/** The extended JSON of mongoexport. */
const canonical = ({ userId, xp, level }: ExportedMember) => ({
  _id: { $oid: '5f1b5f1b5f1b5f1b5f1b5f1b' },
  userID: userId,
  guildID: GUILD,
  xp: { $numberLong: String(xp) },
  level: { $numberInt: String(level) },
  lastUpdated: { $date: { $numberLong: '1769884200000' } },
});
const columns = ['user_id', 'xp', 'username', 'level', 'hidden'] as const;
const cells = (member: ExportedMember) => Object.values(own(member));

/** How a program writes a column of text and numbers. */
interface CsvStyle {
  readonly separator: string;
  readonly newline: string;
  /** Words for true and false. */
  readonly truth: readonly [string, string];
  readonly before?: string;
  readonly id?: (id: string) => string;
  readonly number?: (value: number) => string;
}

function csv(
  members: readonly ExportedMember[],
  { separator, newline, truth, before = '', id = (text) => text, number = String }: CsvStyle,
): string {
  const quote = (text: string) => `"${text.replaceAll('"', '""')}"`;
  const row = ({ userId, xp, username, level, hidden }: ExportedMember) =>
    [quote(id(userId)), quote(number(xp)), username === null ? '' : quote(username), level, truth[hidden ? 0 : 1]].join(
      separator,
    );
  return before + [columns.join(separator), ...members.map(row), ''].join(newline);
}

const ALL = ['username', 'level', 'hidden'] as const;
const NAMED = ['username', 'level'] as const;

/** The layouts by the format that reads them, and what writes them. */
export const LAYOUTS: Readonly<Record<string, Layout>> = {
  'csv with commas': {
    keeps: ALL,
    write: (list) => csv(list, { separator: ',', newline: '\n', truth: ['true', 'false'] }),
  },
  'csv of a German Excel': {
    keeps: ALL,
    write: (list) => csv(list, { separator: ';', newline: '\r\n', truth: ['WAHR', 'FALSCH'], before: 'sep=;\r\n' }),
  },
  'csv with tabs and ids as formulas': {
    keeps: ALL,
    write: (list) => csv(list, { separator: '\t', newline: '\n', truth: ['TRUE', 'FALSE'], id: (id) => `="${id}"` }),
  },
  'csv with ids in groups': {
    keeps: ALL,
    write: (list) =>
      csv(list, {
        separator: ';',
        newline: '\n',
        truth: ['yes', 'no'],
        id: (id) => id.replace(/\B(?=(\d{3})+$)/g, ' '),
      }),
  },
  'csv with decimals of zeros': {
    keeps: ALL,
    write: (list) => csv(list, { separator: ',', newline: '\n', truth: ['t', 'f'], number: (value) => `${value}.0` }),
  },
  ndjson: { keeps: ALL, write: (list) => lines(list.map(own)) },
  'json as an array': { keeps: ALL, write: (list) => json(list.map(own)) },
  'json with indents': { keeps: ALL, write: (list) => json(list.map(own), null, 2) },
  'json as pages of this service': {
    keeps: ALL,
    write: (list) =>
      inPages(list)
        .map((data, index) => json({ data: data.map(own), total: list.length, page: index + 1 }))
        .join('\n'),
  },
  'json of numbers by id': { keeps: [], write: (list) => json(byId(list, ({ xp }) => xp)) },
  'json of texts by id': { keeps: [], write: (list) => json(byId(list, ({ xp }) => String(xp))) },
  'json of objects by id': { keeps: [], write: (list) => json({ users: byId(list, ({ xp }) => ({ xp })) }) },
  'json of pandas, split': {
    keeps: ALL,
    write: (list) => json({ columns, index: list.map((_, index) => index), data: list.map(cells) }),
  },
  'json of pandas, index': { keeps: ALL, write: (list) => json(Object.fromEntries(list.map(own).entries())) },
  'mee6 pages in an array': {
    keeps: NAMED,
    write: (list) => json(inPages(list).map(mee6Page)),
  },
  'mee6 pages one after the other': {
    keeps: NAMED,
    write: (list) =>
      inPages(list)
        .map((members, page) => json(mee6Page(members, page)))
        .join(''),
  },
  'mee6 members in arrays': { keeps: NAMED, write: (list) => json(inPages(list.map(mee6))) },
  amari: {
    keeps: NAMED,
    write: (list) =>
      json({
        data: list.map(({ userId, xp, username, level }) => ({
          id: userId,
          exp: String(xp),
          username,
          level,
          weeklyExp: 0,
        })),
      }),
  },
  lurkr: {
    keeps: NAMED,
    write: (list) =>
      json({
        levels: list.map(({ userId, xp, username, level }) => ({
          userId,
          xp,
          level,
          messageCount: 1,
          user: { username },
        })),
      }),
  },
  'lurkr with tags': {
    keeps: NAMED,
    write: (list) =>
      json({ levels: list.map(({ userId, xp, username, level }) => ({ userId, xp, level, tag: username })) }),
  },
  arcane: {
    keeps: NAMED,
    write: (list) =>
      json({ levels: list.map(({ userId, xp, username, level }) => ({ id: userId, xp, level, username })) }),
  },
  'polaris with settings': {
    keeps: ['hidden'],
    write: (list) => json({ settings: {}, users: byId(list, ({ xp, hidden }) => ({ xp, cooldown: 0, hidden })) }),
  },
  'polaris without settings': {
    keeps: ['hidden'],
    write: (list) => json(byId(list, ({ xp, hidden }) => ({ xp, cooldown: 1_700_000_000_000, hidden }))),
  },
  'polaris downloaded as .json': {
    keeps: [],
    write: (list) => `[\n${list.map(({ userId, xp }) => `\t{ "id": "${userId}", "xp": ${xp} }`).join(',\n')}\n]`,
    map: { id: 'id', xp: 'xp' },
  },
  'polaris downloaded as .csv': {
    keeps: [],
    write: (list) => ['ID,Total XP', ...list.map(({ userId, xp }) => `${userId},${xp}`)].join('\n'),
    map: { id: 'ID', xp: 'Total XP' },
  },
  tatsu: {
    keeps: [],
    write: (list) =>
      json({
        guild_id: GUILD,
        rankings: list.map(({ userId, xp }, index) => ({ rank: index + 1, score: xp, user_id: userId })),
      }),
  },
  'levelup with floats': {
    keeps: ['level'],
    // JavaScript has no way to write 5.0.
    write: (list) =>
      `{"users":{${list.map(({ userId, xp, level }) => `"${userId}":{"xp":${xp}.0,"voice":0.0,"level":${level}}`).join(',')}}}`,
  },
  'discord-xp of mongoexport': { keeps: ['level'], write: (list) => lines(list.map(canonical)) },
  'discord-xp as an array': { keeps: ['level'], write: (list) => json(list.map(discordXp)) },
  'discord-xp as csv': {
    keeps: ['level'],
    write: (list) =>
      [
        '_id,userID,guildID,xp,level',
        ...list.map((each) => ['ObjectId(5f1b)', ...Object.values(discordXp(each))]),
      ].join('\n'),
  },
  'robojs-xp by id': {
    keeps: ['level'],
    write: (list) => json(byId(list, ({ xp, level }) => ({ xp, level, messages: 1, xpMessages: 1, lastAwardedAt: 0 }))),
  },
  'an array of another bot': {
    keeps: NAMED,
    write: (list) =>
      json(list.map(({ userId, xp, username, level }) => ({ id: userId, stats: { xp, level }, nick: username }))),
    map: { id: 'id', xp: 'stats.xp', name: 'nick', level: 'stats.level' },
  },
  'arrays without names': {
    keeps: ['username'],
    write: (list) => json(list.map(({ userId, xp, username }) => [userId, username, xp])),
    map: { id: '1', name: '2', xp: '3' },
  },
  'numbers by id in an object': {
    keeps: [],
    write: (list) => json({ points: byId(list, ({ xp }) => xp), names: byId(list, ({ username }) => username) }),
    map: { xp: 'points' },
  },
};
