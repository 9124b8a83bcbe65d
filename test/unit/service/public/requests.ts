import express, { type Request } from 'express';

/** Returns a request as the routes see it. */
export function requestOf(path: string, query: object = {}, headers: object = {}): Request {
  return Object.create(express.request, {
    path: { value: path },
    query: { value: query },
    headers: { value: headers },
  });
}
