import { Agent, request } from 'node:http';
import { performance } from 'node:perf_hooks';
import { setTimeout as pause } from 'node:timers/promises';

import { ms, quantile, row } from './table.mjs';

const readers = 50;
/** A person looks twice a second at most: as in bench/, which measures the same under policies of many lines. */
const betweenLooks = 500;

/** What the page of applications asks for: the first page, a search as it is typed, filters, other orders, a page far down. */
const lists = [
  'limit=100',
  'limit=100&q=we',
  'limit=100&q=web+prod',
  'limit=100&health=Degraded',
  'limit=100&sync=OutOfSync&health=Healthy',
  'limit=100&sort=-changed',
  'limit=100&sort=health',
  'limit=100&project=shop&q=eu',
  'limit=100&offset=9000',
].map((query) => `/api/v1/applications?${query}`);

/** answers are lists without a browser, for many who read at once. */
export async function answers({ quiet, busy, seconds }) {
  const nothing = ['/nothing'];
  const raw = quantile(await read(quiet, nothing, betweenLooks, seconds), 0.99);
  const told = (what, all, base, below) => {
    const to = `a raw loopback request for as many readers (${ms(base)}); median ${ms(quantile(all, 0.5))} of ${all.length}`;
    row({ what, measured: quantile(all, 0.99), as: ms, below, base, to });
  };
  told(
    `API p99, ${readers} readers, two looks a second each`,
    await read(quiet, lists, betweenLooks, seconds),
    raw,
    50,
  );
  told('  at 200 changes a second', await read(busy, lists, betweenLooks, seconds), raw);
  const rawAtOnce = quantile(await read(quiet, nothing, 0, seconds / 2), 0.99);
  told('  each asks again at once', await read(quiet, lists, 0, seconds / 2), rawAtOnce);
}

/** read lets many read for some seconds, each by a connection of their own, and returns how long the answers took. */
async function read(server, paths, between, seconds) {
  const headers = { authorization: `Bearer ${await token(server)}`, 'accept-encoding': 'gzip' };
  const end = performance.now() + seconds * 1000;
  const took = [];
  const reader = async (_, n) => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    // They have not all come in the same moment.
    await pause((n * between) / readers);
    for (let i = n; performance.now() < end; i++) {
      took.push(await answered(server + paths[i % paths.length], { agent, headers }));
      if (between > 0) await pause(between);
    }
    agent.destroy();
  };
  await Promise.all(Array.from({ length: readers }, reader));
  return took;
}

/** answered is how long an answer took, to its last byte. */
function answered(url, options) {
  const begin = performance.now();
  return new Promise((resolve, reject) => {
    request(url, options, (answer) => {
      answer.on('error', reject).on('end', () => {
        if (answer.statusCode === 200) resolve(performance.now() - begin);
        else reject(new Error(`${url}: ${answer.statusCode}`));
      });
      answer.resume();
    })
      .on('error', reject)
      .end();
  });
}

async function token(server) {
  const answer = await fetch(`${server}/api/v1/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ username: 'admin', password: 'admin' }),
  });
  return (await answer.json()).token;
}
