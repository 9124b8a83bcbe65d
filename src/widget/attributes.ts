import { tellAuthor } from './problem.ts';
import { LONGEST_DELAY_S } from './source.ts';

/** The attributes as properties. The attribute of `pageSize` is `page-size`, and so on; that of `refreshInterval` is `refresh`. */
export interface Attributes {
  /** Id of the server. */
  guild: string;
  /** API key of the server; empty when a proxy at `baseUrl` adds it. */
  apiKey: string;
  /** Address of the service; by default the origin of the script. */
  baseUrl: string;
  /** Boards to choose from, such as `all,week`: `all`, `week`, `month`, `week.prev` and `month.prev`. */
  boards: string;
  /** `light`, `dark` or `auto`. */
  theme: string;
  /** `list` or `table`. */
  layout: string;
  /** `comfortable` or `compact`. */
  density: string;
  /** Id of the member that is marked as the visitor. */
  member: string;
  /** Address of a member's web page, with `{user_id}`. */
  memberHref: string;
  /** Address of a member's picture, with `{user_id}`: http or https. */
  avatarHref: string;
  /** Rows of a page, 1 to 100. */
  pageSize: number;
  /** Seconds between two reads; 0 reads once. */
  refreshInterval: number;
  /** Whether members can be selected without an address. */
  selectable: boolean;
  search: boolean;
  stats: boolean;
  pager: boolean;
  podium: boolean;
}

const isOn = (value: string | null) => value !== 'off' && value !== 'false';

const text = (value: string | null) => value ?? '';

/** Tells the author what an attribute takes. */
const tellTakes = (name: string, what: string) => tellAuthor(`The ${name} attribute takes ${what}.`);

/** Returns the value of each property by its attribute. A value that is not valid counts as the default. */
const READERS: { readonly [N in keyof Attributes]: (value: string | null) => Attributes[N] } = {
  guild: text,
  apiKey: text,
  baseUrl: text,
  boards: text,
  theme: text,
  layout: text,
  density: text,
  member: text,
  memberHref: text,
  avatarHref: (value) => {
    if (!value || /^(https?:\/)?\//i.test(value)) return text(value);
    tellTakes('avatar-href', 'an http address');
    return '';
  },
  pageSize: (value) => {
    const n = Number(value ?? 10);
    if (n >= 1 && n <= 100 && n % 1 === 0) return n;
    tellTakes('page-size', '1 to 100');
    return 10;
  },
  refreshInterval: (value) => {
    const n = Number(value ?? 60);
    if ((n >= 1 && n <= LONGEST_DELAY_S) || n === 0) return n;
    tellTakes('refresh', '0 or 1 to 86400');
    return n > 1 ? LONGEST_DELAY_S : 60;
  },
  selectable: (value) => value !== null,
  search: isOn,
  stats: isOn,
  pager: isOn,
  podium: isOn,
};

export const PROPERTIES = Object.keys(READERS) as (keyof Attributes)[];

/** Returns the name of a property's attribute. */
export function attributeOf(property: keyof Attributes): string {
  return property === 'refreshInterval' ? 'refresh' : property.replace(/[A-Z]/, '-$&').toLowerCase();
}

/** Defines a property for each attribute. */
export function reflectAttributes(prototype: HTMLElement): void {
  for (const property of PROPERTIES) {
    const attribute = attributeOf(property);
    Object.defineProperty(prototype, property, {
      get(this: HTMLElement) {
        return READERS[property](this.getAttribute(attribute));
      },
      set(this: HTMLElement, value: unknown) {
        if (value === false && property === 'selectable') this.removeAttribute(attribute);
        else this.setAttribute(attribute, value === false ? 'off' : value === true ? '' : String(value ?? ''));
      },
    });
  }
}
