import { z } from 'zod';
import { count, digits } from '../count.ts';
import { reservedSpace } from '../web/widget-file.ts';

/** Colours of the widget that the page offers, with those that it has by itself. */
export const COLOURS = {
  accent: '#4f46e5',
  background: '#ffffff',
  'dark-accent': '#a9a5f3',
  'dark-background': '#14171d',
} as const;

type Colour = keyof typeof COLOURS;

const colour = (name: Colour) =>
  z
    .string()
    .regex(/^#[0-9a-f]{6}$/i, 'A colour is # and six hexadecimal digits.')
    .default(COLOURS[name]);
const whole = (name: string, min: number, max: number, byDefault: number) =>
  z
    .string()
    .default(String(byDefault))
    .refine((text) => /^\d{1,5}$/.test(text) && Number(text) >= min && Number(text) <= max, {
      error: `${name} is a whole number from ${min} to ${max}.`,
    })
    .transform(Number);

/** The settings of a widget, as the fields of the form name them. */
export const widgetForm = z.object({
  theme: z.enum(['auto', 'light', 'dark'], { error: 'The theme is auto, light or dark.' }).default('auto'),
  'page-size': whole('The page size', 1, 100, 10),
  refresh: whole('The refresh', 0, 86_400, 60),
  accent: colour('accent'),
  background: colour('background'),
  'dark-accent': colour('dark-accent'),
  'dark-background': colour('dark-background'),
});

export type WidgetSettings = z.infer<typeof widgetForm>;

/** Visitors who look at the same time. */
const VISITORS = [1, 10, 100];
/** One read of the totals lasts this many refreshes. */
const TOTALS_EVERY = 5;

/** Returns the attributes that differ from the widget's own. */
export function attributesOf(settings: WidgetSettings): Readonly<Record<string, string>> {
  const { theme, refresh, 'page-size': size } = settings;
  return {
    ...(theme !== 'auto' && { theme }),
    ...(size !== 10 && { 'page-size': String(size) }),
    ...(refresh !== 60 && { refresh: String(refresh) }),
  };
}

/** Returns the CSS properties of the colours that differ from the widget's own. */
export function propertiesOf(settings: WidgetSettings): Readonly<Record<string, string>> {
  const changed = (Object.keys(COLOURS) as Colour[]).filter((name) => settings[name].toLowerCase() !== COLOURS[name]);
  return Object.fromEntries(changed.map((name) => [`--guildrank-${name}`, settings[name].toLowerCase()]));
}

/** Returns the HTML for a web page, with a place for the API key. */
export function snippetOf(settings: WidgetSettings, apiUrl: string, guildId: string): string {
  const attributes = Object.entries(attributesOf(settings)).map(([name, value]) => ` ${name}="${value}"`);
  const properties = Object.entries(propertiesOf(settings)).map(([name, value]) => `${name}: ${value}`);
  return [
    '<style>',
    `  ${reservedSpace(settings['page-size'])}`,
    ...(properties.length > 0 ? [`  guild-leaderboard { ${properties.join('; ')} }`] : []),
    '</style>',
    `<script src="${apiUrl}/widget.js" defer></script>`,
    `<guild-leaderboard guild="${guildId}" api-key="gr_..."${attributes.join('')}></guild-leaderboard>`,
  ].join('\n');
}

/** The requests of visitors who look for an hour. */
export interface WidgetCost {
  readonly visitors: number;
  readonly text: string;
  /** Whether the plan has fewer. */
  readonly isOver: boolean;
}

/** Returns what a refresh costs of a quota. */
export function costsOf({ refresh }: WidgetSettings, perHour: number): WidgetCost[] {
  const each = refresh === 0 ? 2 : Math.ceil(3600 / refresh) + Math.ceil(3600 / (TOTALS_EVERY * refresh));
  return VISITORS.map((visitors) => {
    const requests = visitors * each;
    const share = perHour > 0 ? Math.round((100 * requests) / perHour) : 100;
    const text = `${count(requests, 'request')}, ${digits(share)} % of the quota`;
    return { visitors, text, isOver: requests > perHour };
  });
}
