import { expect, it } from 'vitest';
import { ICON_ADDRESS } from '../../../../../src/service/http/site/icon.ts';

it('the icon of the service is a whole SVG with a square and a podium on it, in an address without quotes', () => {
  const [type, picture = ''] = ICON_ADDRESS.split(',');
  expect(type).toBe('data:image/svg+xml');
  expect(picture).not.toMatch(/[<>"#\s]/);
  expect(decodeURIComponent(picture)).toMatch(
    /^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg" viewBox="0 0 32 32"><rect [^<>]*\/><path [^<>]*\/><\/svg>$/,
  );
});
