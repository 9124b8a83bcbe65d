import { expect, it } from 'vitest';
import { RefusedError } from '../../../../src/core/errors.ts';
import { ENTRIES_A_CALL, inSlices, sumOf } from '../../../../src/core/members/slices.ts';

const numbers = (count: number) => Array.from({ length: count }, (_, n) => n);

it.each([
  [0, [0]],
  [1, [1]],
  [500, [500]],
  [501, [500, 1]],
  [1500, [500, 500, 500]],
])('%i entries are sent in calls of %j, in order', async (count, sizes) => {
  const sent: number[] = [];
  let isSending = false;
  const results = await inSlices(numbers(count), async (slice) => {
    expect(isSending).toBe(false);
    isSending = true;
    await Promise.resolve();
    isSending = false;
    sent.push(...slice);
    return slice.length;
  });
  expect([results, sent]).toEqual([sizes, numbers(count)]);
  expect(sumOf(results)).toBe(count);
});

it.each([0, 1])('a refused entry of call %i is named by its place among all, and nothing follows', async (refused) => {
  let calls = 0;
  const sending = inSlices(numbers(2 * ENTRIES_A_CALL), async () => {
    if (calls++ === refused) throw new RefusedError('range', { index: 7 });
  });
  await expect(sending).rejects.toMatchObject({
    code: 'range',
    params: { index: refused * ENTRIES_A_CALL + 7 },
  });
  expect(calls).toBe(refused + 1);
});

it('a failure that is no refusal is passed on as it is', async () => {
  const failure = new Error('down');
  await expect(inSlices(numbers(1), () => Promise.reject(failure))).rejects.toBe(failure);
});
