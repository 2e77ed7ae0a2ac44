import { Button } from '@mantine/core';
import { Component, type ReactNode } from 'react';

import { t } from '../text';
import { Unloaded } from '../ui/part';
import { Message } from '../ui/state';
import { NotLoaded } from './unloaded';

interface Props {
  children: ReactNode;
  /** Where the visitor is: elsewhere it is tried again. */
  at?: string;
  heading?: 'h1' | 'h2';
}

/** Boundary keeps the rest of the page when a part of it fails. */
export class Boundary extends Component<Props, { error: unknown }> {
  override state: { error: unknown } = { error: null };

  static getDerivedStateFromError(error: unknown) {
    return { error };
  }

  override componentDidUpdate(before: Props) {
    if (this.state.error !== null && before.at !== this.props.at) this.setState({ error: null });
  }

  override render() {
    const { error } = this.state;
    const { children, heading = 'h2' } = this.props;
    if (error === null) return children;
    return error instanceof Unloaded ? <NotLoaded heading={heading} /> : <Crashed heading={heading} />;
  }
}

/** Crashed says that a page has failed by a defect. */
export function Crashed({ heading }: { heading: 'h1' | 'h2' }) {
  return (
    <Message
      icon="warning"
      title={t.state.crashed}
      alert
      heading={heading}
      action={<Button onClick={() => window.location.reload()}>{t.state.reload}</Button>}
    >
      <p>{t.state.crashedLead}</p>
    </Message>
  );
}
