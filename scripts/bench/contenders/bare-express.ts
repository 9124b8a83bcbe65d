import express from 'express';
import { constantReply } from './constant.ts';

/** (b) Express 5 as its documentation starts it, with one handler that writes a constant in the cheapest way. */
const { headers, body } = constantReply();
const list = [...headers];

const app = express();
app.disable('x-powered-by');
app.use((_req, res) => {
  res.writeHead(200, list);
  res.end(body);
});
app.listen(Number(process.env.PORT), '127.0.0.1');
