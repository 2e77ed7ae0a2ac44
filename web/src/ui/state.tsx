import { Button } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link, useLocation } from 'react-router';

import { Problem } from '../api/client';
import { t } from '../text';
import { Icon, type IconName } from './icons';
import css from './state.module.css';

interface MessageProps {
  icon: IconName;
  title: string;
  children?: ReactNode;
  action?: ReactNode;
  alert?: boolean;
  /** What the title is: of a page that has no other heading, its first. */
  heading?: 'h1' | 'h2';
}

/** Message is what a page says when it has nothing else to show. */
export function Message({ icon, title, children, action, alert, heading: Heading = 'h2' }: MessageProps) {
  return (
    <div className={css.message} role={alert ? 'alert' : undefined}>
      <span className={css.icon}>
        <Icon name={icon} size={28} />
      </span>
      <Heading>{title}</Heading>
      {children && <div className={css.lead}>{children}</div>}
      {action}
    </div>
  );
}

/** wordsOf tells a problem in plain words. */
export function wordsOf(error: unknown): string {
  if (!(error instanceof Problem)) return error instanceof Error ? error.message : String(error);
  if (error.status === 0) return t.state.unreachable;
  if (error.message) return error.message;
  return error.status === 504 ? t.state.slow : t.state.server;
}

interface FailedProps {
  error: unknown;
  retry?: () => void;
  /** Takes away the filters of a page: what the server refuses for them, it refuses each time. */
  clear?: (() => void) | undefined;
  /** What to say of something that is not there. */
  missing?: string;
}

/** isRefused tells that what was asked for makes no sense to the server. */
const isRefused = (error: unknown): error is Problem =>
  error instanceof Problem && (error.status === 400 || error.status === 422);

/** Failed shows why something could not be loaded, and the way on. */
export function Failed({ error, retry, clear, missing }: FailedProps) {
  if (clear && isRefused(error))
    return (
      <Message
        icon="warning"
        title={t.state.refused}
        alert
        action={
          <Button variant="default" onClick={clear}>
            {t.state.clear}
          </Button>
        }
      >
        <Wrong error={error} />
      </Message>
    );
  if (error instanceof Problem && error.status === 403)
    return (
      <Message icon="user" title={t.state.denied}>
        <p>{t.state.deniedLead}</p>
        {error.message && <p className={css.detail}>{error.message}</p>}
      </Message>
    );
  if (error instanceof Problem && error.status === 404) return <Missing error={error} title={missing} />;
  return (
    <Message
      icon="warning"
      title={isRefused(error) ? t.state.notTaken : t.state.failed}
      alert
      action={
        !isRefused(error) &&
        retry && (
          <Button variant="default" onClick={retry}>
            {t.state.retry}
          </Button>
        )
      }
    >
      <Wrong error={error} />
    </Message>
  );
}

/** Lists are the pages from which people come to what may be missing. */
const lists: Record<string, string> = {
  applications: t.nav.applications,
  changes: t.nav.changes,
  clusters: t.nav.clusters,
  applicationsets: t.nav.sets,
  projects: t.nav.projects,
  repositories: t.nav.repositories,
  bridge: t.nav.bridge,
};

/** Missing says that something is not there, or may not be seen: nobody can tell one from the other. */
function Missing({ error, title }: { error: Problem; title: string | undefined }) {
  const [, first = '', ...rest] = useLocation().pathname.split('/');
  const list = rest.length > 0 ? lists[first] : undefined;
  return (
    <Message
      icon="unknown"
      heading={title || !error.message ? 'h1' : 'h2'}
      title={title ?? (error.message ? t.state.missing : t.state.notFound)}
      action={
        <Button component={Link} to={list ? `/${first}` : '/applications'} variant="default">
          {list ? t.state.backTo(list) : t.state.home}
        </Button>
      }
    >
      <p>{title ? t.state.missingLead : error.message || t.state.notFoundLead}</p>
    </Message>
  );
}

/** Wrong tells a problem, and what it says of each field. */
function Wrong({ error }: { error: unknown }) {
  const fields = error instanceof Problem ? Object.entries(error.fields) : [];
  return (
    <>
      <p>{wordsOf(error)}</p>
      {fields.map(([field, text]) => (
        <p key={field} className={css.detail}>
          {field.replace(/^query\./, '')}: {text}
        </p>
      ))}
    </>
  );
}

/** Loading holds the place of rows that come. */
export function Loading({ rows = 8 }: { rows?: number }) {
  return (
    <div className={css.loading} role="status" aria-label={t.state.loading}>
      {Array.from({ length: rows }, (_, i) => (
        <div key={i} className={css.bone} data-width={i % 3} />
      ))}
    </div>
  );
}
