import { css } from './styles.css';

let shared: CSSStyleSheet | undefined;

/** Returns the style sheet that all elements share. */
export function sheet(): CSSStyleSheet {
  if (!shared) {
    shared = new CSSStyleSheet();
    shared.replaceSync(css);
  }
  return shared;
}
