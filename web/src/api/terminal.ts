import { detailOf, Problem, type Key } from './client';

/** Wanted is the container that a terminal is opened in. */
export interface Wanted {
  app: Key;
  namespace: string;
  pod: string;
  container: string;
}

export interface Size {
  cols: number;
  rows: number;
}

/** Ended is how a terminal ended, in the words of the server. */
export interface Ended {
  reason: string;
  code: number;
  message: string;
}

/** Listener is told what happens at a terminal. After ended or failed nothing comes. */
export interface Listener {
  opened: (shell: string) => void;
  data: (bytes: Uint8Array) => void;
  ended: (how: Ended) => void;
  failed: (error: unknown) => void;
}

/** Line is a terminal that is open, or is being opened. */
export interface Line {
  type: (text: string) => void;
  resize: (size: Size) => void;
  close: () => void;
}

/** What is typed at a time, in characters: the server takes 64 KiB, and a character has up to 4 bytes. */
const most = 16_000;

/** connect opens a terminal. */
export function connect(wanted: Wanted, size: Size, to: Listener): Line {
  const path = pathOf(wanted, size);
  const socket = new WebSocket(`${window.location.origin.replace(/^http/, 'ws')}${path}`);
  socket.binaryType = 'arraybuffer';
  let over = false;
  let begun = false;
  const send = (data: string | Uint8Array<ArrayBuffer>) => {
    if (socket.readyState === WebSocket.OPEN) socket.send(data);
  };
  socket.onopen = () => {
    begun = true;
  };
  socket.onmessage = (event: MessageEvent<ArrayBuffer | string>) => {
    if (over) return;
    if (typeof event.data !== 'string') {
      to.data(new Uint8Array(event.data));
      return;
    }
    const told = JSON.parse(event.data) as { opened?: { shell: string }; ended?: Ended };
    if (told.opened) to.opened(told.opened.shell);
    if (!told.ended) return;
    over = true;
    to.ended(told.ended);
  };
  socket.onclose = () => {
    if (over) return;
    over = true;
    if (begun) to.failed(new Problem(0, ''));
    else void reason(path).then(to.failed);
  };
  return {
    type: (text) => {
      for (let from = 0; from < text.length; from += most)
        send(new TextEncoder().encode(text.slice(from, from + most)));
    },
    resize: (now) => send(JSON.stringify({ resize: now })),
    close: () => {
      over = true;
      socket.close();
    },
  };
}

function pathOf({ app, namespace, pod, container }: Wanted, { cols, rows }: Size): string {
  const query = new URLSearchParams({ podNamespace: namespace, pod, cols: String(cols), rows: String(rows) });
  if (container) query.set('container', container);
  return `/api/v1/applications/${encodeURIComponent(app.namespace)}/${encodeURIComponent(app.name)}/terminal/open?${query.toString()}`;
}

/** What a request says that is right, and no WebSocket. */
const noSocket = 426;

/** reason asks why there is no terminal: of a WebSocket browsers do not tell. */
async function reason(path: string): Promise<Problem> {
  try {
    const response = await fetch(path);
    if (response.status === noSocket) return new Problem(noSocket, '');
    return new Problem(response.status, detailOf(await response.json().catch(() => null)));
  } catch {
    return new Problem(0, '');
  }
}
