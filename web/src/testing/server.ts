import { vi } from 'vitest';

type Answer = unknown;
type Route = (request: Request, url: URL) => Answer;

/** refused is an answer that is a problem document. */
export const refused = (status: number, detail: string, errors?: { location: string; message: string }[]) =>
  new Response(JSON.stringify({ status, detail, errors }), { status });

/** serve answers requests by "METHOD /path"; each that was sent is in the list that comes back. */
export function serve(routes: Record<string, Route>): { sent: { what: string; url: URL; body: unknown }[] } {
  const sent: { what: string; url: URL; body: unknown }[] = [];
  vi.stubGlobal('fetch', async (request: Request) => {
    const url = new URL(request.url);
    const what = `${request.method} ${url.pathname}`;
    const text = await request.clone().text();
    sent.push({ what, url, body: text ? (JSON.parse(text) as unknown) : undefined });
    const route = routes[what];
    if (!route) return refused(404, `no ${what} in this test`);
    const answer = await route(request, url);
    if (answer instanceof Response) return answer;
    if (answer === undefined) return new Response(null, { status: 204 });
    return new Response(JSON.stringify(answer), { headers: { 'Content-Type': 'application/json' } });
  });
  return { sent };
}
