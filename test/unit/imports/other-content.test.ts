import { describe, expect, it } from 'vitest';
import { refuseOtherContent } from '../../../src/imports/other-content.ts';

describe('content that is no export', () => {
  it.each(['<!doctype html><title>Sign in</title>', '\uFEFF \n<html>', '<?xml version="1.0"?>'])(
    'is refused as a web page: %j',
    (text) => {
      expect(() => refuseOtherContent(text, 'x.json')).toThrow('x.json is a web page, not an export');
    },
  );

  it.each([
    '{"status_code":401,"error":{"code":0,"message":"Unauthorized"}}',
    '{"message":"401: Unauthorized","code":0}',
    '{"message":"You are being rate limited.","retry_after":0.5,"global":false}',
    '{"statusCode":404,"error":"Not Found","path":"/x"}',
    ' {"success":false,\n"error":"Not found"}\n',
  ])('is refused as an error response, which it quotes: %j', (text) => {
    const quoted = text.trimStart().replace('\n', ' ').slice(0, 30);
    expect(() => refuseOtherContent(text, 'x')).toThrow(
      `x is the error response of a service, not an export: ${quoted}`,
    );
  });

  it('is quoted in part, in one line', () => {
    const text = JSON.stringify({ message: `a\nb${'x'.repeat(5000)}` }, null, 2);
    expect(() => refuseOtherContent(text, 'x')).toThrow(/^x is .{1,180}$/);
  });

  it.each([
    '',
    '{}',
    '[]',
    'user_id,xp\n<b>,1',
    '{"message":"x","user_id":"1"}',
    '{"code":1}\n{"code":2}',
    '{"message":"cut',
  ])('may be %j', (text) => {
    expect(() => refuseOtherContent(text, 'x')).not.toThrow();
  });
});
