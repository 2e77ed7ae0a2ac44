/** entryOf is the code with which a document of the pages begins. */
export const entryOf = (page: Document) => page.querySelector('script[type="module"][src]')?.getAttribute('src') ?? '';

/** servedEntry is the code with which the server's pages begin now, once it gives that code: what is loaded before would stay empty. */
export async function servedEntry(signal: AbortSignal): Promise<string> {
  const entry = entryOf(new DOMParser().parseFromString(await answerOf('/', signal), 'text/html'));
  if (entry) await answerOf(entry, signal);
  return entry;
}

async function answerOf(address: string, signal: AbortSignal): Promise<string> {
  const answer = await fetch(new Request(address, { cache: 'no-store', signal }));
  if (!answer.ok) throw new Error(`${address} is answered with ${answer.status}`);
  return answer.text();
}
