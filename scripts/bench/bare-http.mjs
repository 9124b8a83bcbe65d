import { createServer } from 'node:http';

/** (a) node:http that reads nothing and repeats a captured answer of the service: the upper limit of Node's HTTP server. */
const { headers, body } = JSON.parse(process.env.REPLY);

createServer((_req, res) => {
  res.writeHead(200, headers);
  // Node writes a string together with the head, and a Buffer separately.
  res.end(body);
}).listen(Number(process.env.PORT), '127.0.0.1');
