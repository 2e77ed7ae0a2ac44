import { Button, PasswordInput, TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState, type SubmitEvent, type ReactNode } from 'react';
import { Navigate, useLocation } from 'react-router';

import { api, body, Problem, type Session } from '../api/client';
import { canSignIn, isIn, sessionQuery } from '../api/queries';
import { t } from '../text';
import { Failed, wordsOf } from '../ui/state';
import { useTitle } from '../ui/title';
import css from './gate.module.css';
import { Mark } from './mark';

/** Gate lets those in who are signed in, and everybody where nobody can or needs to. */
export function Gate({ children }: { children: ReactNode }) {
  const session = useQuery(sessionQuery);
  if (session.data) return isIn(session.data) ? children : <SignIn session={session.data} />;
  if (session.error) return <Failed error={session.error} retry={() => void session.refetch()} />;
  return null;
}

/** SignInPage is for who is in without having signed in and can; it leads all others back to where they came from. */
export function SignInPage() {
  const session = useQuery(sessionQuery).data;
  const state = useLocation().state as { from?: string } | null;
  const from = state?.from ?? '/';
  if (!session) return null;
  if (session.user || !canSignIn(session)) return <Navigate to={from} replace />;
  return <SignIn session={session} from={from} />;
}

function SignIn({ session, from }: { session: Session; from?: string }) {
  useTitle(t.session.title);
  const client = useQueryClient();
  const [username, setUsername] = useState('');
  const [password, setPassword] = useState('');
  const signIn = useMutation({
    mutationFn: () => body(api.POST('/api/v1/session', { body: { username, password } })),
    // What an earlier reader saw is not for the next one.
    onSuccess: () => client.resetQueries(),
  });
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    signIn.mutate();
  };
  return (
    <main className={css.page}>
      <div className={css.box}>
        <Mark size={40} />
        <h1>{t.session.title}</h1>
        <p className="dim">{t.session.lead}</p>
        {session.signIns.oidc && (
          <Button component="a" href={oidcAddress(from)} fullWidth size="md">
            {t.session.with(session.signIns.oidc)}
          </Button>
        )}
        {session.signIns.oidc && session.signIns.password && <p className={css.or}>{t.session.or}</p>}
        {session.signIns.password && (
          <form onSubmit={submit} className={css.form}>
            <TextInput
              label={t.session.username}
              name="username"
              autoComplete="username"
              autoCapitalize="none"
              spellCheck={false}
              required
              withAsterisk={false}
              autoFocus
              value={username}
              onChange={(e) => setUsername(e.currentTarget.value)}
              size="md"
            />
            <PasswordInput
              label={t.session.password}
              name="password"
              autoComplete="current-password"
              required
              withAsterisk={false}
              value={password}
              onChange={(e) => setPassword(e.currentTarget.value)}
              size="md"
            />
            {signIn.error && (
              <p className={css.error} role="alert">
                {reason(signIn.error)}
              </p>
            )}
            <Button
              type="submit"
              size="md"
              fullWidth
              loading={signIn.isPending}
              variant={session.signIns.oidc ? 'default' : 'filled'}
            >
              {t.session.submit}
            </Button>
            <p className={css.hint}>{t.session.firstTime}</p>
          </form>
        )}
      </div>
    </main>
  );
}

function reason(error: unknown): string {
  if (!(error instanceof Problem)) return wordsOf(error);
  if (error.status === 401) return t.session.wrong;
  return error.status === 429 ? t.session.busy : wordsOf(error);
}

function oidcAddress(from?: string): string {
  const { pathname, search, hash } = window.location;
  return `/auth/login?${new URLSearchParams({ return_url: from ?? pathname + search + hash }).toString()}`;
}
