import { describe, expect, it } from 'vitest';
import { refuseOtherContent } from '../../../src/imports/other-content.ts';

describe('content that is no export', () => {
  it.each(['<!doctype html><title>Sign in</title>', '\uFEFF \n<html>', '<?xml version="1.0"?>\n<!DOCTYPE html>'])(
    'a web page is refused as such: %j',
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
  ])('an error response is refused, and the message quotes it: %j', (text) => {
    const quoted = text.trimStart().replace('\n', ' ').slice(0, 30);
    expect(() => refuseOtherContent(text, 'x')).toThrow(
      `x is the error response of a service, not an export: ${quoted}`,
    );
  });

  it('a response with its head above the body is refused', () => {
    expect(() => refuseOtherContent('HTTP/2 200\ncontent-type: application/json\n\n{"players":[]}', 'x')).toThrow(
      'x begins with the head of a response: save the body alone, such as with curl without -i',
    );
  });

  it('the message quotes a part of a long response, in one line', () => {
    const text = JSON.stringify({ message: `a\nb${'x'.repeat(5000)}` }, null, 2);
    expect(() => refuseOtherContent(text, 'x')).toThrow(/^x is .{1,180}$/);
  });

  it.each([
    ['XML', '<?xml version="1.0"?>\n<Workbook/>', 'export the members as CSV or JSON'],
    ['XML', '<members><member id="1"/></members>', 'export the members as CSV or JSON'],
    ['SQL', '-- MySQL dump 10.13\n', 'load it into its database'],
    ['SQL', 'INSERT INTO `levels` VALUES (1,5);', 'load it into its database'],
    ['SQL', 'PRAGMA foreign_keys=OFF;\nBEGIN TRANSACTION;', 'load it into its database'],
    ['SQL', 'CREATE TABLE levels (\n  id TEXT', 'load it into its database'],
    ['SQL', 'COPY public.levels (user_id, xp) FROM stdin;', 'load it into its database'],
    ['JSON inside a text of JSON', JSON.stringify('[{"user_id":"1","xp":5}]'), 'parse it once'],
    ['YAML', 'users:\n  - user_id: "1"\n    xp: 5\n', 'convert it to JSON'],
    ['YAML', '- user_id: 1\n  xp: 5\n', 'convert it to JSON'],
    ['YAML', '---\n"1": {xp: 5, level: 1}\n', 'convert it to JSON'],
    ['YAML', '# members\n"1": {xp: 5, level: 1}\n"2": {xp: 7}\n', 'convert it to JSON'],
  ])('%s is refused with what to do instead: %j', (what, text, advice) => {
    expect(() => refuseOtherContent(text, 'x')).toThrow(`x is ${what}: ${advice}`);
  });

  it.each([
    '',
    '{}',
    '[]',
    'user_id,xp\n<b>,1',
    '<@204255221017214977>,5',
    'Leaderboard: all\nuser_id,xp\n',
    '-- Leaderboard --,\nuser_id,xp\n',
    'select,insert\n1,2',
    '{\n  "1": {\n    "xp": 5\n  }\n}',
    '{"message":"x","user_id":"1"}',
    '{"code":1}\n{"code":2}',
    '{"message":"cut',
  ])('the text %j is not taken for other content', (text) => {
    expect(() => refuseOtherContent(text, 'x')).not.toThrow();
  });
});
