import { expect, it } from 'vitest';
import { toBody } from '../../../../src/service/http/response/rendered-body.ts';
import { Pictures } from '../../../../src/service/public/pictures.ts';

const svgOf = (text: string) => toBody(`<svg>${text}</svg>`, 'image/svg+xml; charset=utf-8');

/** Returns pictures of so many bytes, and the SVGs that were drawn. */
function picturesOf(bytes: number) {
  const drawn: string[] = [];
  const pictures = new Pictures(async (svg) => {
    drawn.push(svg);
    return Buffer.alloc(bytes, 0xff);
  });
  return { pictures, drawn };
}

it('an SVG is drawn once, and its picture is kept with a tag of its own', async () => {
  const { pictures, drawn } = picturesOf(60_000);
  const svg = svgOf('Zoë 👑');
  const picture = await pictures.png(svg);
  expect(picture?.headers.lines).toContain('Content-Type: image/png');
  expect(picture?.body).toBe('\xff'.repeat(60_000));
  expect(picture?.etag).toBe(svg.etag.replace(/"$/, '-png"'));
  expect(pictures.etagOf(svg)).toBe(picture?.etag);
  expect(await pictures.png(svgOf('Zoë 👑'))).toBe(picture);
  expect(drawn).toEqual(['<svg>Zoë 👑</svg>']);
});

it('8 MiB of pictures are kept, and the pictures that were asked for last stay', async () => {
  const { pictures, drawn } = picturesOf(1024 * 1024);
  const ask = async (...texts: string[]) => {
    for (const text of texts) await pictures.png(svgOf(text));
  };
  await ask(...'12345678', ...'12345678');
  expect(drawn.length).toBe(8);
  await ask('9', ...'2345678');
  expect(drawn.length).toBe(9);
  await ask('1');
  expect(drawn.at(-1)).toBe('<svg>1</svg>');
});

it('a picture that failed once is drawn again, and so are the pictures after it', async () => {
  let failures = 1;
  const pictures = new Pictures(async () => {
    if (failures-- > 0) throw new Error('no font');
    return Buffer.from('png');
  });
  const [failed, other] = await Promise.allSettled([pictures.png(svgOf('a')), pictures.png(svgOf('b'))]);
  expect(failed).toMatchObject({ status: 'rejected', reason: { message: 'no font' } });
  expect(other).toMatchObject({ status: 'fulfilled', value: { body: 'png' } });
  expect((await pictures.png(svgOf('a')))?.body).toBe('png');
});
