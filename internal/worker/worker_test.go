package worker

import (
	"context"
	"errors"
	"io"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// testKind are processes that do what a test says.
const testKind = "test"

// TestMain is also such a process.
func TestMain(m *testing.M) {
	Hook(testKind, obey)
	os.Exit(m.Run())
}

// obey does one word after the other.
func obey(c *Conn) error {
	for {
		var word string
		body, err := c.Receive(&word)
		if err != nil {
			return err
		}
		switch word {
		case "grow":
			for text := []byte(word); ; text = append(text, text...) {
				clear(text)
			}
		case "spin":
			for word != "" {
				word = strings.ToLower(word)
			}
		case "deep":
			return deep(c, 0)
		case "die":
			os.Exit(1)
		}
		if err := c.Send(word, body); err != nil {
			return err
		}
	}
}

// deep goes deeper than any stack.
func deep(c *Conn, level int) error {
	if level < 0 {
		return nil
	}
	return errors.Join(deep(c, level+1), io.EOF)
}

// say has a worker obey, and returns what it says.
func say(ctx context.Context, p *Pool, word, body string) (head, text string, err error) {
	err = p.Do(ctx, func(c *Conn) error {
		if err := c.Send(word, []byte(body)); err != nil {
			return err
		}
		got, err := c.Receive(&head)
		text = string(got)
		return err
	})
	return head, text, err
}

func pool(t *testing.T) *Pool {
	t.Helper()
	p := NewPool(testKind, Limits{Memory: 128 << 20, Parallel: 1, Time: time.Hour})
	t.Cleanup(p.Close)
	return p
}

// TestWorkerIsKept has one process do two tasks, and another one the third.
func TestWorkerIsKept(t *testing.T) {
	p := pool(t)
	for _, body := range []string{"one", "", "three"} {
		if head, text, err := say(t.Context(), p, "echo", body); head != "echo" || text != body || err != nil {
			t.Fatalf("%q %q %v", head, text, err)
		}
	}
	if len(p.idle) != 1 {
		t.Fatalf("%d workers are kept", len(p.idle))
	}
	p.idle[0].kill() // as somebody else may
	if _, text, err := say(t.Context(), p, "echo", "again"); text != "again" || err != nil {
		t.Errorf("after its end: %q, %v", text, err)
	}
}

// TestWhatEndsAWorker tells why a task has no result, and goes on with the next one.
func TestWhatEndsAWorker(t *testing.T) {
	tests := map[string]struct {
		reason, word string
		want, or     error
	}{
		"Memory": {"it grows", "grow", ErrMemory, ErrMemory},
		"Deep":   {"it calls itself, and a stack is memory, too", "deep", ErrDeep, ErrMemory},
		"Died":   {"it ends", "die", ErrDied, ErrDied},
	}
	p := pool(t)
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			_, _, err := say(t.Context(), p, tc.word, "")
			if !errors.Is(err, tc.want) && !errors.Is(err, tc.or) {
				t.Errorf("%s: %v", tc.reason, err)
			}
			if _, text, err := say(t.Context(), p, "echo", "next"); text != "next" || err != nil {
				t.Errorf("the next task: %q, %v", text, err)
			}
		})
	}
}

// TestTaskIsStopped ends one that does not end, by its context and by its time.
func TestTaskIsStopped(t *testing.T) {
	p := pool(t)
	ctx, cancel := context.WithCancel(t.Context())
	var asked atomic.Bool
	err := p.Do(ctx, func(c *Conn) error {
		if err := c.Send("spin", nil); err != nil {
			return err
		}
		asked.Store(true)
		cancel()
		_, err := c.Receive(new(string))
		return err
	})
	if !errors.Is(err, context.Canceled) || !asked.Load() {
		t.Errorf("it was given up with %v", err)
	}
	short := NewPool(testKind, Limits{Time: time.Millisecond})
	t.Cleanup(short.Close)
	if _, _, err := say(t.Context(), short, "spin", ""); !errors.Is(err, ErrTime) {
		t.Errorf("its time was over with %v", err)
	}
}

// TestBrokenMessages refuses what is no message, without believing how long it says to be.
func TestBrokenMessages(t *testing.T) {
	tests := map[string]struct{ reason, text string }{
		"Long":  {"longer than may be", "\xff\xff\xff\xff\x00\x00\x00\x00"},
		"Short": {"shorter than it says", "\x00\x00\x00\x09\x00\x00\x00\x00\"a\""},
		"JSON":  {"no JSON", "\x00\x00\x00\x01\x00\x00\x00\x00{"},
		"Head":  {"no length", "\x00\x00"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			if _, err := newConn(strings.NewReader(tc.text), io.Discard).Receive(new(string)); err == nil || errors.Is(err, io.EOF) {
				t.Errorf("%s: %v", tc.reason, err)
			}
		})
	}
}
