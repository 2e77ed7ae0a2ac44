import { beforeEach, expect, test, vi } from 'vitest';

import { patience } from '../../patience';
import { Problem } from './client';
import { connect, type Listener } from './terminal';

/** Socket is the browser's end of a WebSocket whose other end is the test. */
class Socket {
  static readonly OPEN = 1;
  static last: Socket;
  readyState = 0;
  sent: (string | Uint8Array)[] = [];
  onopen = () => {};
  onclose = () => {};
  onmessage: (event: { data: unknown }) => void = () => {};
  constructor(readonly url: string) {
    Socket.last = this;
  }
  send(data: string | Uint8Array) {
    this.sent.push(data);
  }
  close() {
    this.onclose();
  }
  opens() {
    this.readyState = Socket.OPEN;
    this.onopen();
  }
}

const wanted = { app: { namespace: 'argocd', name: 'web' }, namespace: 'shop', pod: 'web-1', container: 'main' };

function open() {
  const told = { opened: vi.fn(), data: vi.fn(), ended: vi.fn(), failed: vi.fn() } satisfies Listener;
  const line = connect(wanted, { cols: 80, rows: 24 }, told);
  return { told, line, socket: Socket.last };
}

beforeEach(() => {
  vi.stubGlobal('WebSocket', Socket);
});

test('what is typed goes out whole, in frames that the server takes', () => {
  const { line, socket } = open();
  expect(socket.url).toContain(
    '/api/v1/applications/argocd/web/terminal/open?podNamespace=shop&pod=web-1&cols=80&rows=24&container=main',
  );
  line.type('too early');
  socket.opens();
  const text = 'ü€'.repeat(30_000);
  line.type(text);
  line.resize({ cols: 100, rows: 30 });
  const frames = socket.sent.filter((data) => typeof data !== 'string');
  expect(Math.max(...frames.map((data) => data.length))).toBeLessThanOrEqual(64 * 1024);
  expect(frames.map((data) => new TextDecoder().decode(data)).join('')).toBe(text);
  expect(socket.sent.at(-1)).toBe('{"resize":{"cols":100,"rows":30}}');
});

test('the server has the last word', () => {
  const { told, socket } = open();
  socket.opens();
  socket.onmessage({ data: '{"opened":{"shell":"sh"}}' });
  socket.onmessage({ data: new TextEncoder().encode('$ ').buffer });
  const how = { reason: 'idle', code: 0, message: 'nothing was typed for 30m0s' };
  socket.onmessage({ data: JSON.stringify({ ended: how }) });
  socket.onclose();
  expect(told.opened).toHaveBeenCalledWith('sh');
  expect(told.data).toHaveBeenCalledTimes(1);
  expect(told.ended).toHaveBeenCalledWith(how);
  expect(told.failed).not.toHaveBeenCalled();
});

test('a connection that breaks is told of, one that was closed here is not', () => {
  const lost = open();
  lost.socket.opens();
  lost.socket.onclose();
  expect(lost.told.failed).toHaveBeenCalledWith(new Problem(0, ''));
  const left = open();
  left.socket.opens();
  left.line.close();
  expect(left.told.failed).not.toHaveBeenCalled();
});

test('why there is none is asked for: of a WebSocket browsers do not tell', async () => {
  const fetch = vi.fn(() => Promise.resolve(new Response('{"detail":"reader may not create exec"}', { status: 403 })));
  vi.stubGlobal('fetch', fetch);
  const { told, socket } = open();
  socket.onclose();
  await vi.waitFor(() => expect(told.failed).toHaveBeenCalled(), { timeout: patience });
  expect(told.failed.mock.calls[0]?.[0]).toMatchObject({ status: 403, message: 'reader may not create exec' });
  expect(fetch).toHaveBeenCalledTimes(1);
});
