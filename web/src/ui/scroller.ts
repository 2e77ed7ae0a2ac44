/** scroller is what scrolls around a page. */
export const scroller = () => document.getElementById('content');

/** offsetIn is how far below the top of what scrolls an element begins. */
export function offsetIn(element: HTMLElement | null): number {
  const parent = scroller();
  if (!element || !parent) return 0;
  return Math.round(element.getBoundingClientRect().top - parent.getBoundingClientRect().top + parent.scrollTop);
}
