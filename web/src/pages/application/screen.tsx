import '@xterm/xterm/css/xterm.css';

import { useComputedColorScheme } from '@mantine/core';
import { FitAddon } from '@xterm/addon-fit';
import { Terminal, type ITheme } from '@xterm/xterm';
import { useEffect, useRef } from 'react';

import { connect, type Listener, type Wanted } from '../../api/terminal';
import { t } from '../../text';
import css from './terminal.module.css';

interface Props extends Omit<Listener, 'data'> {
  wanted: Wanted;
  /** leave is called for the keys that lead out. */
  leave: () => void;
}

/** Lines that can be scrolled back to. */
const scrollback = 5_000;

/** Screen is a terminal from when it is shown until it goes. */
export default function Screen({ wanted, leave, ...told }: Props) {
  const box = useRef<HTMLDivElement>(null);
  const screen = useRef<Terminal>(null);
  const now = useRef({ leave, ...told });
  useEffect(() => {
    now.current = { leave, ...told };
  });
  const scheme = useComputedColorScheme('light', { getInitialValueInEffect: false });
  useEffect(() => {
    if (!box.current) return;
    const restore = lawful();
    const { terminal, fit } = draw(box.current);
    screen.current = terminal;
    terminal.attachCustomKeyEventHandler((e) => {
      if (!leads(e)) return true;
      if (e.type === 'keydown') now.current.leave();
      e.preventDefault();
      return false;
    });
    const still = (then: () => void) => {
      terminal.options.disableStdin = true;
      terminal.options.cursorInactiveStyle = 'none';
      then();
    };
    const line = connect(
      wanted,
      { cols: terminal.cols, rows: terminal.rows },
      {
        opened: (shell) => now.current.opened(shell),
        data: (bytes) => terminal.write(bytes),
        ended: (how) => still(() => now.current.ended(how)),
        failed: (error) => still(() => now.current.failed(error)),
      },
    );
    terminal.onData((text) => line.type(text));
    terminal.onResize((size) => line.resize(size));
    const watch = new ResizeObserver(() => fit.fit());
    watch.observe(box.current);
    terminal.focus();
    return () => {
      watch.disconnect();
      line.close();
      terminal.dispose();
      restore();
      screen.current = null;
    };
  }, [wanted]);
  useEffect(() => {
    if (screen.current) screen.current.options.theme = colours();
  }, [scheme]);
  return <div ref={box} className={css.screen} role="group" aria-label={t.terminal.label(wanted.pod)} />;
}

/** leads tells the keys that lead out: all others are the shell's. */
const leads = (e: KeyboardEvent) => e.ctrlKey && e.shiftKey && e.key === 'F6';

function draw(into: HTMLElement): { terminal: Terminal; fit: FitAddon } {
  const terminal = new Terminal({
    fontFamily: getComputedStyle(document.documentElement).getPropertyValue('--mono'),
    fontSize: 13,
    theme: colours(),
    minimumContrastRatio: 4.5,
    screenReaderMode: true,
    scrollback,
  });
  const fit = new FitAddon();
  terminal.loadAddon(fit);
  terminal.open(into);
  terminal.textarea?.removeAttribute('aria-multiline'); // a textarea has it by itself, and may not say it
  fit.fit();
  return { terminal, fit };
}

/** colours are those of the page. */
function colours(): ITheme {
  const style = getComputedStyle(document.documentElement);
  const of = (name: string) => style.getPropertyValue(name).trim();
  return {
    background: of('--bg'),
    foreground: of('--text'),
    cursor: of('--accent'),
    cursorAccent: of('--bg'),
    selectionBackground: of('--strong'),
  };
}

/** make makes elements that the policy of the page takes. */
function make(name: string): HTMLElement {
  const made = document.createElementNS('http://www.w3.org/1999/xhtml', name.toLowerCase());
  if (name === 'style') made.nonce = document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce ?? '';
  // An attribute is refused where the same by a property is not.
  if (name === 'span')
    made.setAttribute = (key: string, value: string) => {
      if (key === 'style') made.style.cssText = value;
      else Element.prototype.setAttribute.call(made, key, value);
    };
  return made;
}

/**
 * lawful lets xterm.js draw under the policy until it is undone: it writes styles and knows of no nonce, and not all of
 * it goes by the document that it is given (documentOverride), so that of the window is lent to it.
 */
function lawful(): () => void {
  Object.defineProperty(document, 'createElement', { value: make, configurable: true });
  return () => Reflect.deleteProperty(document, 'createElement');
}
