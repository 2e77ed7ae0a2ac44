package api

import "sync"

// turns make things for all who ask in one turn: who asks while one is being
// made gets the next one, which begins after they asked. So what changes all the
// time is made once after another, however many ask, and is never older than
// the question. They are safe for concurrent use.
type turns[V any] struct {
	mu sync.Mutex
	at map[string]*turn[V]
}

type turn[V any] struct {
	done chan struct{}
	next *turn[V]
	made V
	err  error
}

func newTurns[V any]() *turns[V] { return &turns[V]{at: map[string]*turn[V]{}} }

// take is what is made in the next turn of a group, and whether this one made
// it. Another's error is for the asker to judge: it may be of theirs alone.
func (t *turns[V]) take(group string, write func() (V, error)) (made V, own bool, err error) {
	mine, before := t.join(group)
	if before != nil {
		<-before.done
	}
	if mine.first {
		t.run(group, mine.turn, write)
		return mine.made, true, mine.err
	}
	<-mine.done
	return mine.made, false, mine.err
}

// place is that of somebody in a turn; the first of a turn makes it.
type place[V any] struct {
	*turn[V]

	first bool
}

// join finds the turn that begins next, and the one that has to end before it.
func (t *turns[V]) join(group string) (mine place[V], before *turn[V]) {
	t.mu.Lock()
	defer t.mu.Unlock()
	now := t.at[group]
	switch {
	case now == nil:
		now = &turn[V]{done: make(chan struct{})}
		t.at[group] = now
		return place[V]{now, true}, nil
	case now.next == nil:
		now.next = &turn[V]{done: make(chan struct{})}
		return place[V]{now.next, true}, now
	}
	return place[V]{now.next, false}, nil
}

// run makes what a turn is for, and lets the next one begin, come what may.
func (t *turns[V]) run(group string, mine *turn[V], write func() (V, error)) {
	mine.err = errUnmade
	defer func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		if t.at[group] = mine.next; mine.next == nil {
			delete(t.at, group)
		}
		close(mine.done)
	}()
	mine.made, mine.err = write()
}
