/** The colours of pictures: the colours of the widget, computed here, because not every program that draws an SVG knows `color-mix` and `oklch`. */

/** The background of a card. */
export type CardTheme = 'light' | 'dark';

type Triple = readonly [number, number, number];

/** Colours of the widget and of the public page by their theme. */
export const THEMES = {
  light: { background: '#ffffff', text: '#14171c', muted: '#57606c' },
  dark: { background: '#14171d', text: '#eef0f3', muted: '#9aa3af' },
} as const;
const ACCENT = '#4f46e5';

/** Colours of the first three places, as the widget's podium has them. */
export const MEDALS = ['#f5c542', '#c7ced6', '#e0a575'] as const;
/** Colour of a rank on a medal. */
export const ON_MEDAL = '#261c00';

/** The colours of a picture, as {@link coloursOf} returns them. */
export type CardColours = ReturnType<typeof coloursOf>;

/** Returns the colours of a picture. @param accent as `#rgb` or `#rrggbb`. The dark theme has a light tint of it. @param hue of the avatar, 0 to 359. */
export function coloursOf(theme: CardTheme, accent: string = ACCENT, hue: number) {
  const base = THEMES[theme];
  const [back, front] = theme === 'light' ? [oklch(0.92, 0.06, hue), oklch(0.42, 0.14, hue)] : darkAvatar(hue);
  return {
    ...base,
    back,
    front,
    accent: theme === 'light' ? hexOf(labOf(accent)) : mix(accent, 0.4, '#ffffff'),
    track: mix(base.text, 0.1, base.background),
  };
}

function darkAvatar(hue: number): [string, string] {
  return [oklch(0.36, 0.1, hue), oklch(0.92, 0.06, hue)];
}

/** Returns a mixture in Oklab, as `color-mix(in oklab, ..)` does. @param share of the first colour, 0 to 1. */
export function mix(first: string, share: number, second: string): string {
  const a = labOf(first);
  const b = labOf(second);
  return hexOf(a.map((value, index) => share * value + (1 - share) * (b[index] as number)) as unknown as Triple);
}

function oklch(lightness: number, chroma: number, hue: number): string {
  const angle = (hue * Math.PI) / 180;
  return hexOf([lightness, chroma * Math.cos(angle), chroma * Math.sin(angle)]);
}

/** Returns the contrast of two colours, 1 to 21, as WCAG defines it. @param first as `#rrggbb`, like `second`. */
export function contrastOf(first: string, second: string): number {
  const a = luminanceOf(first);
  const b = luminanceOf(second);
  return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
}

/** Returns black or white, whichever reads better on a colour. The contrast is 4.58 at least. @param colour as `#rrggbb`. */
export function textOn(colour: string): '#000000' | '#ffffff' {
  return contrastOf(colour, '#ffffff') >= contrastOf(colour, '#000000') ? '#ffffff' : '#000000';
}

function luminanceOf(hex: string): number {
  const [r, g, b] = lightOf(hex);
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

/** Returns the light of red, green and blue, each 0 to 1. @param hex as `#rrggbb`. */
function lightOf(hex: string): Triple {
  return [1, 3, 5].map((at) => {
    const value = Number.parseInt(hex.slice(at, at + 2), 16) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  }) as unknown as Triple;
}

/** Returns a colour in Oklab: https://bottosson.github.io/posts/oklab. */
function labOf(hex: string): Triple {
  const digits = hex.length === 4 ? hex.replace(/[^#]/g, '$&$&') : hex;
  const [r, g, b] = lightOf(digits);
  const l = Math.cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b);
  const m = Math.cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b);
  const s = Math.cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b);
  return [
    0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s,
    1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s,
    0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s,
  ];
}

/** Returns a colour of Oklab as `#rrggbb`, each part cut to what a screen shows. */
function hexOf([lightness, a, b]: Triple): string {
  const l = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3;
  const parts = [
    4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
    -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
    -0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s,
  ].map((value) => {
    const encoded = value <= 0.0031308 ? 12.92 * value : 1.055 * value ** (1 / 2.4) - 0.055;
    return Math.round(255 * Math.min(1, Math.max(0, encoded)))
      .toString(16)
      .padStart(2, '0');
  });
  return `#${parts.join('')}`;
}
