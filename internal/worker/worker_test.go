package worker

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"reflect"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/causeway-gitops/causeway/internal/slots"
	"github.com/causeway-gitops/causeway/test/await"
	"github.com/causeway-gitops/causeway/test/detector"
)

// testKind are processes that do what a test says.
const testKind = "test"

// TestMain is also such a process.
func TestMain(m *testing.M) {
	Hook(testKind, obey)
	os.Exit(m.Run())
}

// kept is what such a process keeps of all its tasks.
var kept [][]byte

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
		case "hold":
			kept = append(kept, bytes.Repeat([]byte{1}, int(bound()*3/8)))
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

// bound is what a worker may hold, with room for the race detector in it.
func bound() int64 {
	if detector.On {
		return 2 << 30
	}
	return 128 << 20
}

func pool(t *testing.T) *Pool {
	t.Helper()
	p := NewPool(testKind, Limits{Memory: bound(), Parallel: 1, Time: time.Hour})
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

// TestWhatAWorkerKeptIsNoTasks: one that keeps memory of a task has the next one, which
// needs as much, done by another.
func TestWhatAWorkerKeptIsNoTasks(t *testing.T) {
	p := pool(t)
	for range 3 {
		if head, _, err := say(t.Context(), p, "hold", ""); head != "hold" || err != nil {
			t.Fatalf("%q, %v", head, err)
		}
	}
}

// TestWorkersKilledAtOnce ends all that are idle, as a node that lacks memory does.
func TestWorkersKilledAtOnce(t *testing.T) {
	p := NewPool(testKind, Limits{Parallel: 2})
	t.Cleanup(p.Close)
	for range 3 {
		var idle []*child
		for range 2 {
			one, err := p.take(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			idle = append(idle, one)
		}
		for _, one := range idle {
			p.give(one)
			one.kill()
		}
		if _, text, err := say(t.Context(), p, "echo", "next"); text != "next" || err != nil {
			t.Fatalf("the next task: %q, %v", text, err)
		}
	}
}

// TestWhatEndsAWorker tells why a task has no result, and goes on with the next one.
func TestWhatEndsAWorker(t *testing.T) {
	if detector.On {
		t.Skip("the race detector takes more memory than the limit here")
	}
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

// TestLongHeads: what a worker says becomes much more when it is read.
func TestLongHeads(t *testing.T) {
	c := NewConn(strings.NewReader("\x00\x40\x00\x01\x00\x00\x00\x00\""+strings.Repeat("x", maxHead)), io.Discard)
	c.head = maxHead
	if _, err := c.Receive(new(string)); !errors.Is(err, errFrame) {
		t.Errorf("got %v", err)
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
			if _, err := NewConn(strings.NewReader(tc.text), io.Discard).Receive(new(string)); err == nil || errors.Is(err, io.EOF) {
				t.Errorf("%s: %v", tc.reason, err)
			}
		})
	}
}

// TestWorkersInParallel starts no more of them than may be.
func TestWorkersInParallel(t *testing.T) {
	p := NewPool(testKind, Limits{Parallel: 3})
	t.Cleanup(p.Close)
	var all sync.WaitGroup
	for range 24 {
		all.Go(func() {
			if _, text, err := say(t.Context(), p, "echo", "x"); text != "x" || err != nil {
				t.Errorf("%q, %v", text, err)
			}
		})
	}
	all.Wait()
	if len(p.idle) > 3 {
		t.Errorf("%d workers, 3 are allowed", len(p.idle))
	}
}

// TestWorkersOfOneProject: tasks of one that do not end leave a worker to others.
func TestWorkersOfOneProject(t *testing.T) {
	p := NewPool(testKind, Limits{Memory: bound(), Parallel: 3, Time: time.Hour})
	t.Cleanup(p.Close)
	red, cancel := context.WithCancel(slots.ForProject(t.Context(), "red"))
	spins := make(chan struct{}, 3)
	var all sync.WaitGroup
	for range cap(spins) {
		all.Go(func() {
			err := p.Do(red, func(c *Conn) error {
				spins <- struct{}{}
				if err := c.Send("spin", nil); err != nil {
					return err
				}
				_, err := c.Receive(new(string))
				return err
			})
			if !errors.Is(err, context.Canceled) {
				t.Errorf("a task that does not end was given up with %v", err)
			}
		})
	}
	<-spins
	<-spins
	if _, text, err := say(slots.ForProject(t.Context(), "blue"), p, "echo", "x"); text != "x" || err != nil {
		t.Errorf("another project's task: %q, %v", text, err)
	}
	cancel()
	all.Wait()
	if len(spins) > 0 {
		t.Error("one project had all workers")
	}
}

// TestIdleWorkersEnd tells that workers end when nobody needs them.
func TestIdleWorkersEnd(t *testing.T) {
	p := NewPool(testKind, Limits{Idle: time.Millisecond})
	t.Cleanup(p.Close)
	for range 2 {
		if _, _, err := say(t.Context(), p, "echo", ""); err != nil {
			t.Fatal(err)
		}
		ends := time.Now().Add(await.Limit)
		for left := 1; left > 0; {
			if time.Now().After(ends) {
				t.Fatal("a worker stays")
			}
			p.account.mu.Lock()
			left = len(p.idle)
			p.account.mu.Unlock()
		}
	}
}

// TestCloseWaits tells that no worker is left when Close returns.
func TestCloseWaits(t *testing.T) {
	p := NewPool(testKind, Limits{})
	if _, _, err := say(t.Context(), p, "echo", ""); err != nil {
		t.Fatal(err)
	}
	one := p.idle[0]
	p.Close()
	if one.cmd.ProcessState == nil || len(p.idle) != 0 {
		t.Error("the worker was not waited for")
	}
}

// TestWorkersEndWithoutTheirEngine starts a worker whose engine is gone before
// the worker begins: it does not take its new parent for that.
func TestWorkersEndWithoutTheirEngine(t *testing.T) {
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), await.Limit)
	defer cancel()
	cmd := exec.CommandContext(ctx, exe)
	cmd.Env = []string{mark + "=" + testKind + " 134217728 0", "CAUSEWAY_WORKER_OF=1073741824"} // beyond what systems number
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = in.Close() }()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	_ = NewConn(nil, in).Send("spin", nil)
	_ = cmd.Wait()
	if ctx.Err() != nil {
		t.Error("it computes for nobody until it is killed")
	}
}

// TestWorkersEndByThemselves has nobody end a worker whose time is over.
func TestWorkersEndByThemselves(t *testing.T) {
	c, err := start(t.Context(), testKind, Limits{Memory: bound(), Time: time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	killed := time.AfterFunc(await.Limit, c.kill)
	if err := c.Send("spin", nil); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Receive(new(string)); err == nil {
		t.Error("what does not end has a result")
	}
	if !killed.Stop() {
		t.Error("it goes on until it is killed")
	}
	if err := c.end(); !errors.Is(err, ErrDied) {
		t.Errorf("it ended because of %v", err)
	}
}

// FuzzReceive reads any bytes as messages, and what it reads as it writes it.
func FuzzReceive(f *testing.F) {
	f.Add([]byte("\x00\x00\x00\x02\x00\x00\x00\x01{}x"))
	f.Add([]byte{0, 0, 0, 0})
	f.Add([]byte{0, 0})
	f.Fuzz(func(t *testing.T, in []byte) {
		var head, again any
		body, err := NewConn(bytes.NewReader(in), nil).Receive(&head)
		if err != nil {
			return
		}
		var out bytes.Buffer
		if err := NewConn(nil, &out).Send(head, body); err != nil {
			t.Fatal(err)
		}
		if got, err := NewConn(&out, nil).Receive(&again); err != nil || !bytes.Equal(got, body) || !reflect.DeepEqual(again, head) {
			t.Fatalf("%v %q cannot be read again: %v %q, %v", head, body, again, got, err)
		}
	})
}
