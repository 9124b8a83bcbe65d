/** The tags of the elements. */
const BOARD = 'guild-leaderboard';
const MEMBER = 'guild-member';
const STATS = 'guild-stats';

type Tag = typeof BOARD | typeof MEMBER | typeof STATS;

/** The values that an attribute takes, and the elements that read it. */
type Attribute = { readonly elements: readonly Tag[] } & (
  | { readonly kind: 'text' | 'web address' }
  /** The first choice is the default. */
  | { readonly kind: 'choice'; readonly choices: readonly string[] }
  | { readonly kind: 'number'; readonly min: number; readonly max: number; readonly byDefault: number }
  /** A part that is shown unless it is `off`. */
  | { readonly kind: 'part' }
  /** Something that is off unless the attribute is there. */
  | { readonly kind: 'switch' }
);

/**
 * Every attribute of the elements, by the name of its property. The elements, their types, the page for frames and the form of the dashboard follow
 * this list.
 */
export const ATTRIBUTES = {
  /** Id of the server. */
  guild: { kind: 'text', elements: [BOARD, MEMBER, STATS] },
  /** API key of the server; empty when a proxy at `baseUrl` adds it. */
  apiKey: { kind: 'text', elements: [BOARD, MEMBER, STATS] },
  /** Address of the service; by default the origin of the script. */
  baseUrl: { kind: 'text', elements: [BOARD, MEMBER, STATS] },
  /** Boards to choose from, such as `all,week`: `all`, `week`, `month`, `week.prev` and `month.prev`. */
  boards: { kind: 'text', elements: [BOARD] },
  /** `light`, `dark` or `auto`. */
  theme: { kind: 'choice', choices: ['auto', 'light', 'dark'], elements: [BOARD, MEMBER, STATS] },
  /** `list` or `table`. */
  layout: { kind: 'choice', choices: ['list', 'table'], elements: [BOARD] },
  /** `comfortable` or `compact`. */
  density: { kind: 'choice', choices: ['comfortable', 'compact'], elements: [BOARD] },
  /** Id of the member that is marked as the visitor. */
  member: { kind: 'text', elements: [BOARD, MEMBER] },
  /** Address of a member's web page, with `{user_id}`. */
  memberHref: { kind: 'text', elements: [BOARD, MEMBER] },
  /** Address of a member's picture, with `{user_id}`: http or https. */
  avatarHref: { kind: 'web address', elements: [BOARD, MEMBER] },
  /** Name of the parameter in the query of the web page's address that has the board and the page; empty to leave the address alone. */
  address: { kind: 'text', elements: [BOARD] },
  /** Rows of a page, 1 to 100. */
  pageSize: { kind: 'number', min: 1, max: 100, byDefault: 10, elements: [BOARD] },
  /** Seconds between two reads; 0 reads once. */
  refreshInterval: { kind: 'number', min: 1, max: 86_400, byDefault: 60, elements: [BOARD, MEMBER, STATS] },
  /** Whether members can be selected without an address. */
  selectable: { kind: 'switch', elements: [BOARD, MEMBER] },
  search: { kind: 'part', elements: [BOARD] },
  stats: { kind: 'part', elements: [BOARD] },
  pager: { kind: 'part', elements: [BOARD] },
  podium: { kind: 'part', elements: [BOARD] },
  /** Marks of the roles that levels give. Public data has them. */
  rewards: { kind: 'part', elements: [BOARD] },
} as const satisfies Readonly<Record<string, Attribute>>;

type List = typeof ATTRIBUTES;

/** The name of an attribute as a property. */
export type Property = keyof List;

/** The attributes of parts that can be left out. */
export type PartName = { [P in Property]: List[P] extends { kind: 'part' } ? P : never }[Property];

/** The attributes as properties. The attribute of `pageSize` is `page-size`, and so on; the attribute of `refreshInterval` is `refresh`. */
export type Attributes = {
  -readonly [P in keyof List]: ValueOf<List[P]>;
};

type ValueOf<A> = A extends { kind: 'number' } ? number : A extends { kind: 'part' | 'switch' } ? boolean : string;

/** The attributes that an element looks at. */
export type AttributesOf<T extends Tag> = Pick<
  Attributes,
  { [P in Property]: T extends List[P]['elements'][number] ? P : never }[Property]
>;

/** The value that stands in markup for an attribute. `off` hides a part: a framework drops an attribute that is false when it renders on a server. */
export type MarkupValue<P extends Property> = MarkupValueOf<List[P]>;

type MarkupValueOf<A> = A extends { kind: 'number' }
  ? number | `${number}`
  : A extends { kind: 'part' }
    ? 'on' | 'off'
    : A extends { kind: 'switch' }
      ? boolean
      : A extends { choices: readonly (infer Choice)[] }
        ? Choice
        : string;

export const PROPERTIES = Object.keys(ATTRIBUTES) as Property[];

/** Returns the name of a property's attribute. */
export function attributeOf(property: Property): string {
  return property === 'refreshInterval' ? 'refresh' : property.replace(/[A-Z]/, '-$&').toLowerCase();
}
