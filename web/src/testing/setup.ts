import { cleanup, configure } from '@testing-library/react';
import { afterEach, vi } from 'vitest';

import { patience } from '../../patience';

// A busy machine is slow: what is waited for comes, or the test ends at its own bound.
configure({ asyncUtilTimeout: patience });

// What browsers have and the tests' one does not.
Object.defineProperty(window, 'matchMedia', {
  value: (query: string) => ({
    matches: false,
    media: query,
    addEventListener: vi.fn(),
    removeEventListener: vi.fn(),
    addListener: vi.fn(),
    removeListener: vi.fn(),
  }),
});

afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
  document.body.replaceChildren();
});
