/** The texts and the example answers of the OpenAPI document. */

export const DESCRIPTION = `Every request carries an API key in the header \`x-api-key\`; a key belongs to one server.

The requests of all keys of a server count together against the hourly quota of its plan, and a key can have a cap of its
own. Every answer to a valid key tells what is left of the one that leaves less. Answers carry an ETag: send it back in \`If-None-Match\`, and unchanged data is 304 without a body.

HEAD works wherever GET does. Ids are always strings. Unknown query parameters are ignored.

Later versions may add fields, curves and problem codes. A client must accept them.`;

/** The address in code samples. */
export const BASE_URL = 'https://ranks.example.com/api/v1';

export const LEADERBOARD = {
  data: [
    { rank: 1, user_id: '159985870458322944', username: 'Ada', level: 10, xp: 4675 },
    { rank: 2, user_id: '204255221017214977', username: 'Grace', level: 2, xp: 255 },
    { rank: 3, user_id: '172002275412279296', username: 'Linus', level: 2, xp: 255 },
  ],
  total: 3,
  page: 1,
};
export const MEMBER = {
  user_id: '159985870458322944',
  username: 'Ada',
  level: 10,
  xp: 4675,
  rank: 1,
  daily_streak: 5,
  last_daily_claim: '2026-01-14T08:30:00.000Z',
};
export const STATS = { total_members: 3, total_xp: 5185, average_level: 5, xp_curve: 'standard', xp_multiplier: 1.5 };
