// The entry of the package guildrank-widget: the elements as an ES module. An import on a server defines nothing.

import type { EntryData, MemberData, PageData, StatsData } from './api-data.ts';
import type { Attributes, AttributesOf, MarkupValue } from './attributes.ts';
import { GuildLeaderboard as Leaderboard } from './leaderboard.ts';
import { GuildMember as OneMember } from './member.ts';
import { GuildStats as Totals } from './stats.ts';
import type { Labels } from './strings.ts';
import './main.ts';

/**
 * The part that all elements share.
 * @fires guildrank-load
 * @fires guildrank-error
 * @cssproperty --guildrank-accent - Colour of bars and marks in the light theme.
 * @cssproperty --guildrank-background - Background of the card in the light theme.
 * @cssproperty --guildrank-text - Colour of text in the light theme.
 * @cssproperty --guildrank-muted - Colour of secondary text in the light theme.
 * @cssproperty --guildrank-dark-accent - Colour of bars and marks in the dark theme.
 * @cssproperty --guildrank-dark-background - Background of the card in the dark theme.
 * @cssproperty --guildrank-dark-text - Colour of text in the dark theme.
 * @cssproperty --guildrank-dark-muted - Colour of secondary text in the dark theme.
 * @cssproperty --guildrank-font - Fonts.
 * @cssproperty --guildrank-size - Font size; by default the font size of the visitor's browser.
 * @cssproperty --guildrank-radius - Radius of the card's corners.
 * @cssproperty --guildrank-max-width - Greatest width of the card.
 */
interface GuildElement extends HTMLElement {
  /** Texts that replace texts of the language. */
  labels: Partial<Labels>;
  /** Reads the data now. */
  refresh(): void;
}

/**
 * The part of elements that show members.
 * @fires guildrank-select
 */
interface MemberElement extends GuildElement {
  /** Returns the address of a member's picture, or nothing for the initial of the name. Takes the place of `avatarHref`. */
  avatarOf: ((userId: string) => string | null | undefined) | undefined;
}

/**
 * The live leaderboard of a server.
 * @slot title - Replaces the title.
 * @csspart card header title stats badge tabs tab button search input result rows list row rank avatar name link you mark reward level xp
 * progress track bar next pinned note footer status pager
 */
export interface GuildLeaderboard extends MemberElement, AttributesOf<'guild-leaderboard'> {}
export const GuildLeaderboard: new () => GuildLeaderboard = Leaderboard;

/**
 * One member of a server, with rank, level and progress.
 * @csspart card row rank avatar name link mark level xp progress track bar next facts note
 */
export interface GuildMember extends MemberElement, AttributesOf<'guild-member'> {}
export const GuildMember: new () => GuildMember = OneMember;

/**
 * The totals of a server in one line.
 * @csspart card stats badge note
 */
export interface GuildStats extends GuildElement, AttributesOf<'guild-stats'> {}
export const GuildStats: new () => GuildStats = Totals;

/** The events of the elements. All bubble. */
export interface GuildrankEvents {
  /** New data came. The detail has the last answers. */
  'guildrank-load': CustomEvent<{ leaderboard?: PageData; stats?: StatsData; members?: MemberData }>;
  /** Data cannot be shown. */
  'guildrank-error': CustomEvent<{ kind: 'setup' | 'quota' | 'away'; message: string }>;
  /** A member's link or button was chosen. Prevent the default, and the browser does not follow the link. */
  'guildrank-select': CustomEvent<EntryData>;
}

declare global {
  interface HTMLElementTagNameMap {
    'guild-leaderboard': GuildLeaderboard;
    'guild-member': GuildMember;
    'guild-stats': GuildStats;
  }
  interface HTMLElementEventMap extends GuildrankEvents {}
}

/** Attributes in the markup of a framework, in camel case, and the properties that are no attributes. */
type Markup<E extends HTMLElement> = {
  [N in keyof Attributes & keyof E as N extends 'refreshInterval' ? 'refresh' : N]?: MarkupValue<N> | undefined;
} & Partial<Pick<E, keyof E & ('labels' | 'avatarOf')>>;

type Hyphenated<S> = S extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `-${Lowercase<First>}`}${Hyphenated<Rest>}`
  : S;

/** Returns the attributes and listeners of an element, as Vue names them. */
export type CamelCaseMarkup<E extends HTMLElement> = Markup<E> & {
  onGuildrankLoad?: (event: GuildrankEvents['guildrank-load']) => void;
  onGuildrankError?: (event: GuildrankEvents['guildrank-error']) => void;
  onGuildrankSelect?: (event: GuildrankEvents['guildrank-select']) => void;
};

/** Returns the attributes, properties and listeners of an element, as React and Svelte name them. */
export type HyphenatedMarkup<E extends HTMLElement> = {
  [N in keyof Markup<E> as N extends 'avatarOf' ? N : Hyphenated<N>]: Markup<E>[N];
} & { [N in keyof GuildrankEvents as `on${N}`]?: (event: GuildrankEvents[N]) => void };
