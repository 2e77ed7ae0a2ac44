import { onTestFinished } from 'vitest';

/**
 * sized gives everything that scrolls a size, and each row a height, until the test is over: nothing has one here, and
 * what is not in sight is not drawn.
 */
export function sized(width: number, height: number, row = 40): void {
  const elements = HTMLElement.prototype;
  for (const [name, value] of Object.entries({ clientWidth: width, clientHeight: height, offsetHeight: row })) {
    const before = Object.getOwnPropertyDescriptor(elements, name);
    Object.defineProperty(elements, name, { configurable: true, get: () => value });
    onTestFinished(() => {
      if (before) Object.defineProperty(elements, name, before);
      else Reflect.deleteProperty(elements, name);
    });
  }
}
