import { hash } from 'node:crypto';
import { DEFAULT_COLOURS, type PageLook } from '../../core/settings/page-look.ts';
import { contrastOf, mix, THEMES, textOn } from '../../pictures/colours.ts';

/** The least contrast that WCAG demands of text that is not large. */
const READABLE = 4.5;

/** Returns the accents of the light and the dark theme. Unless the owner has chosen a dark accent, the dark accent is a light tint of the accent. */
export function accentsOf({ accent, accentDark }: PageLook): { readonly light: string; readonly dark: string } {
  return {
    light: accent || DEFAULT_COLOURS.accent,
    dark: accentDark || (accent ? mix(accent, 0.4, '#ffffff') : DEFAULT_COLOURS.accentDark),
  };
}

/** Returns the style of a look, or "" if the owner has chosen no colour. The style contains validated colours and nothing else. */
export function styleOf(look: PageLook): string {
  const { accent, accentDark, background, backgroundDark } = look;
  const { light, dark } = accentsOf(look);
  const hasAccent = accent !== '' || accentDark !== '';
  const lightRules = [background && `--page:${background}`, hasAccent && accentRules(light, 'light')].filter(Boolean);
  const darkRules = [backgroundDark && `--page:${backgroundDark}`, hasAccent && accentRules(dark, 'dark')].filter(
    Boolean,
  );
  let style = '';
  // The colours of the light theme do not apply to the dark theme, which keeps the colours of page.css unless the owner chooses others.
  if (lightRules.length > 0) style += `@media (prefers-color-scheme:light){:root{${lightRules.join(';')}}}`;
  if (darkRules.length > 0) style += `@media (prefers-color-scheme:dark){:root{${darkRules.join(';')}}}`;
  if (hasAccent) style += `:root.overlay{--accent:${dark}}`;
  return style;
}

function accentRules(accent: string, theme: keyof typeof THEMES): string {
  const ground = THEMES[theme].background;
  return [
    `--accent:${accent}`,
    `--on-accent:${textOn(accent)}`,
    `--link:${contrastOf(accent, ground) >= READABLE ? accent : 'var(--text)'}`,
    `--soft:${mix(accent, 0.05, ground)}`,
    `--flash:${mix(accent, 0.14, ground)}`,
  ].join(';');
}

/**
 * Returns the policy of a page.
 * @param frameAncestors the sites that may show it in a frame, as the policy names them.
 * @param style text of its style element.
 * @param pictures https addresses of pictures whose hosts the page may load from; null is skipped.
 */
export function policyOf(frameAncestors: string, style = '', pictures: readonly (string | null)[] = []): string {
  const styleHash = style && ` 'sha256-${hash('sha256', style, 'base64')}'`;
  const hosts = new Set(pictures.flatMap((picture) => (picture ? [` ${new URL(picture).origin}`] : [])));
  return [
    "default-src 'none'; script-src 'self'",
    `style-src 'self'${styleHash}`,
    `connect-src 'self'; img-src data:${[...hosts].join('')}; form-action 'self'`,
    `base-uri 'none'; frame-ancestors ${frameAncestors}`,
  ].join('; ');
}

/** The policy of data, which runs and loads nothing. */
export const DATA_POLICY = "default-src 'none'; base-uri 'none'; frame-ancestors 'none'";
/** The policy of a picture, which runs nothing, and holds all that it shows. */
export const PICTURE_POLICY = "default-src 'none'; img-src data:; base-uri 'none'; frame-ancestors 'none'";
