import { useEffect } from 'react';

/** useReturn gives the focus back to where it was before what calls it was shown above the page: what is there from its first moment does not do so by itself. */
export function useReturn(): void {
  useEffect(() => {
    const from = document.activeElement;
    return () => {
      // Somebody else has it, or it went to another page.
      if (document.activeElement && document.activeElement !== document.body) return;
      const back = from instanceof HTMLElement && from !== document.body && from.isConnected;
      (back ? from : document.getElementById('content'))?.focus({ preventScroll: true });
    };
  }, []);
}
