import * as z from 'zod';
import { BOARDS, type BoardName } from '../../core/store/redis-keys.ts';
import { ATTRIBUTES, type PartName } from '../../widget/attributes.ts';
import type { Language } from '../../widget/translation.ts';
import { choice } from '../forms.ts';

/** Colours of the widget that the page offers, with the default of each. */
export const COLOURS = {
  accent: '#4f46e5',
  background: '#ffffff',
  'dark-accent': '#a9a5f3',
  'dark-background': '#14171d',
} as const;

/** Languages of the widget by their codes; "" is the language of the web page, or of the visitor. */
export const LANGUAGE_LABELS: Readonly<Record<Language | '', string>> = {
  '': 'The language of your page',
  en: 'English',
  de: 'Deutsch',
  fr: 'Français',
  es: 'Español',
  pt: 'Português',
  ar: 'العربية',
  ja: '日本語',
};

/** Parts of the widget that can be left out, by their attributes. */
export const PART_LABELS: Readonly<Record<PartName, string>> = {
  podium: 'Podium',
  search: 'Search',
  stats: 'Totals',
  pager: 'Pager',
  rewards: 'Marks of rewards',
};

/** Names of the boards. */
export const BOARD_LABELS: Readonly<Record<BoardName, string>> = {
  week: 'This week',
  'week.prev': 'Last week',
  month: 'This month',
  'month.prev': 'Last month',
};

const colour = (name: keyof typeof COLOURS) =>
  z
    .string()
    .regex(/^#[0-9a-f]{6}$/i, 'A colour is # and six hexadecimal digits')
    .toLowerCase()
    .default(COLOURS[name]);
/** @param name of the field, for the person. @param least the least number that the field takes. */
const whole = (name: string, least: number, { max, byDefault }: { readonly max: number; readonly byDefault: number }) =>
  z
    .string()
    .default(String(byDefault))
    .refine((text) => /^\d{1,5}$/.test(text) && Number(text) >= least && Number(text) <= max, {
      error: `${name} is a whole number from ${least} to ${max}`,
    })
    .transform(Number);
const either = new Intl.ListFormat('en-GB', { type: 'disjunction' });
/** A choice of the widget. @param name of the field, for the person. */
const oneOf = <const Choices extends readonly [string, ...string[]]>(name: string, choices: Choices) =>
  z.enum(choices, { error: `${name} is ${either.format(choices)}` }).default(choices[0]);
/** The parser of a box for a part that is shown unless the box is off. */
const partSwitch = z.enum(['on', 'off'], { error: 'A part of the widget is on or off' }).default('on');
/** The parser of a box for a tab that is shown only if the box is on. */
const tabSwitch = z.enum(['off', 'on'], { error: 'A tab is on or off' }).default('off');

/** The settings of a widget, by the names of the fields of the form. The address of the page contains the settings that differ from the defaults. */
export const widgetForm = z.object({
  theme: oneOf('The theme', ATTRIBUTES.theme.choices),
  layout: oneOf('The layout', ATTRIBUTES.layout.choices),
  density: oneOf('The density', ATTRIBUTES.density.choices),
  'page-size': whole('The page size', ATTRIBUTES.pageSize.min, ATTRIBUTES.pageSize),
  // 0 means that the widget reads the data once.
  refresh: whole('The refresh', 0, ATTRIBUTES.refreshInterval),
  lang: choice(LANGUAGE_LABELS).default(''),
  podium: partSwitch,
  search: partSwitch,
  stats: partSwitch,
  pager: partSwitch,
  rewards: partSwitch,
  week: tabSwitch,
  'week.prev': tabSwitch,
  month: tabSwitch,
  'month.prev': tabSwitch,
  accent: colour('accent'),
  background: colour('background'),
  'dark-accent': colour('dark-accent'),
  'dark-background': colour('dark-background'),
});

/** The settings of a widget, as the form names them. */
export type WidgetSettings = z.infer<typeof widgetForm>;

const DEFAULTS = widgetForm.parse({});

/** Returns the fields that differ from the widget's defaults, by their names. */
export function fieldsOf(settings: WidgetSettings): Readonly<Record<string, string>> {
  const names = Object.keys(DEFAULTS) as (keyof WidgetSettings)[];
  const changed = names.filter((name) => settings[name] !== DEFAULTS[name]);
  return Object.fromEntries(changed.map((name) => [name, String(settings[name])]));
}

/** Returns the attributes that differ from the widget's defaults. */
export function attributesOf(settings: WidgetSettings): Readonly<Record<string, string>> {
  const fields = Object.entries(fieldsOf(settings));
  const boards = BOARDS.filter((board) => settings[board] === 'on');
  return {
    ...Object.fromEntries(fields.filter(([name]) => !(name in COLOURS || name in BOARD_LABELS))),
    ...(boards.length > 0 && { boards: ['all', ...boards].join() }),
    ...(settings.lang === 'ar' && { dir: 'rtl' }),
  };
}

/** Returns the CSS properties of the colours that differ from the widget's defaults. */
export function propertiesOf(settings: WidgetSettings): Readonly<Record<string, string>> {
  const fields = Object.entries(fieldsOf(settings)).filter(([name]) => name in COLOURS);
  return Object.fromEntries(fields.map(([name, value]) => [`--guildrank-${name}`, value]));
}
