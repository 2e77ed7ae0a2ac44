import { ActionIcon, Tooltip } from '@mantine/core';
import { useEffect, useState } from 'react';

import { t } from '../text';
import { Icon } from './icons';
import css from './copy.module.css';

/** Copy puts a text into the clipboard. */
export function Copy({ text, label = t.action.copy }: { text: string; label?: string }) {
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) return;
    const timer = setTimeout(() => setCopied(false), 1_500);
    return () => clearTimeout(timer);
  }, [copied]);
  return (
    <Tooltip label={copied ? t.action.copied : label} withArrow>
      <ActionIcon
        variant="subtle"
        color="gray"
        size="sm"
        aria-label={copied ? t.action.copied : label}
        onClick={() => void put(text).then(() => setCopied(true))}
      >
        <Icon name={copied ? 'check' : 'copy'} size={14} />
      </ActionIcon>
    </Tooltip>
  );
}

/** put works on plain HTTP, too, where browsers have no clipboard of their own. */
async function put(text: string): Promise<void> {
  if (window.isSecureContext) return navigator.clipboard.writeText(text);
  const field = document.createElement('textarea');
  field.value = text;
  field.style.position = 'fixed';
  document.body.append(field);
  field.select();
  // eslint-disable-next-line @typescript-eslint/no-deprecated -- there is nothing else without TLS
  document.execCommand('copy');
  field.remove();
}

interface CommandProps {
  text: string;
  /** It does the same; else the command line does not know what the page is narrowed to. */
  whole?: boolean;
}

/** Command shows how the same is done on the command line. */
export function Command({ text, whole = true }: CommandProps) {
  return (
    <span className={css.command} title={whole ? t.action.commandHint : t.action.commandAll}>
      <Icon name="command" size={14} />
      <code className="cut">{text}</code>
      {!whole && <span className={css.all}>{t.action.unfiltered}</span>}
      <Copy text={text} label={t.action.copyCommand} />
    </span>
  );
}
