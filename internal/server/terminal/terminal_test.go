package terminal_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"github.com/causeway-gitops/causeway/internal/server/terminal"
	"github.com/causeway-gitops/causeway/test/await"
)

// parrot is a shell that says again what it hears, a size when it changes, and
// ends with the code that it is told: "exit 3".
type parrot struct {
	gone  error
	stuck bool
}

func (p *parrot) Check(context.Context) error { return p.gone }

func (p *parrot) Run(ctx context.Context, with terminal.Streams) error {
	with.Opened("parrot")
	if p.stuck {
		<-ctx.Done()
		return context.Cause(ctx)
	}
	ctx, stop := context.WithCancel(ctx)
	var parts sync.WaitGroup
	defer parts.Wait()
	defer stop()
	parts.Go(func() {
		for version := 0; ; {
			size, now, ok := with.Sizes.Next(ctx, version)
			if !ok {
				return
			}
			version = now
			_, _ = fmt.Fprintf(with.Out, "[%dx%d]", size.Cols, size.Rows)
		}
	})
	in, buffer := with.In.Reader(ctx), make([]byte, 1024)
	for {
		n, err := in.Read(buffer)
		if err != nil {
			return err
		}
		var code int
		if _, err := fmt.Sscanf(string(buffer[:n]), "exit %d", &code); err == nil {
			if code == 0 {
				return nil
			}
			return &terminal.Exit{Code: code}
		}
		if _, err := with.Out.Write(buffer[:n]); err != nil {
			return err
		}
	}
}

// hall has a desk with a time of its own.
type hall struct {
	t     *testing.T
	url   string
	desk  *terminal.Desk
	ticks chan time.Time
	ends  chan *terminal.End

	mu  sync.Mutex
	now time.Time
}

func open(ctx context.Context, t *testing.T, shell terminal.Shell, still func(context.Context) error) *hall {
	t.Helper()
	h := &hall{t: t, ticks: make(chan time.Time), ends: make(chan *terminal.End, 100), now: time.Unix(1000, 0)}
	h.desk = terminal.NewDeskAt(terminal.Clock{Now: h.time, Ticks: func() (<-chan time.Time, func()) { return h.ticks, func() {} }})
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		free, ok := h.desk.Take(r.Header.Get("Who"))
		if !ok {
			w.WriteHeader(http.StatusTooManyRequests)
			return
		}
		defer free()
		both, cancel := context.WithCancel(r.Context())
		defer cancel()
		defer context.AfterFunc(ctx, cancel)()
		end, err := h.desk.Join(w, r.WithContext(both), terminal.Visit{Shell: shell, First: terminal.Size{Cols: 80, Rows: 24}, Still: still})
		if err == nil {
			h.ends <- end
		}
	}))
	t.Cleanup(s.Close)
	h.url = "ws" + strings.TrimPrefix(s.URL, "http")
	return h
}

func (h *hall) time() time.Time {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.now
}

// passes lets time pass, and has it looked at.
func (h *hall) passes(d time.Duration) {
	h.mu.Lock()
	h.now = h.now.Add(d)
	now := h.now
	h.mu.Unlock()
	select {
	case h.ticks <- now:
	case <-time.After(await.Limit):
		h.t.Error("nobody looks at the time")
	}
}

// guest is a browser at a terminal.
type guest struct {
	t    *testing.T
	conn *websocket.Conn
}

func (h *hall) enters(who string) (*guest, int) {
	h.t.Helper()
	conn, answer, err := websocket.DefaultDialer.DialContext(h.t.Context(), h.url, http.Header{"Who": {who}})
	if answer != nil {
		defer func() { _ = answer.Body.Close() }() // an upgraded connection is not in it
	}
	if err != nil {
		if answer == nil {
			h.t.Fatal(err)
		}
		return nil, answer.StatusCode
	}
	h.t.Cleanup(func() { _ = conn.Close() })
	_ = conn.SetReadDeadline(time.Now().Add(await.Limit))
	return &guest{h.t, conn}, answer.StatusCode
}

func (g *guest) types(text string) {
	g.t.Helper()
	if err := g.conn.WriteMessage(websocket.BinaryMessage, []byte(text)); err != nil {
		g.t.Fatal(err)
	}
}

func (g *guest) tells(text string) {
	g.t.Helper()
	if err := g.conn.WriteMessage(websocket.TextMessage, []byte(text)); err != nil {
		g.t.Fatal(err)
	}
}

// reads reads until what the terminal shows ends so.
func (g *guest) reads(end string) {
	g.t.Helper()
	for seen := ""; !strings.HasSuffix(seen, end); {
		kind, data, err := g.conn.ReadMessage()
		if err != nil {
			g.t.Fatalf("after %q: %v", seen, err)
		}
		if kind == websocket.BinaryMessage {
			seen += string(data)
		}
	}
}

// last reads what the server says at the end.
func (g *guest) last() string {
	g.t.Helper()
	var text []byte
	for {
		kind, data, err := g.conn.ReadMessage()
		var closed *websocket.CloseError
		if errors.As(err, &closed) && closed.Code == websocket.CloseNormalClosure {
			return string(text)
		}
		if err != nil {
			g.t.Fatalf("the terminal was cut off after %q: %v", text, err)
		}
		if kind == websocket.TextMessage {
			text = data
		}
	}
}

func wants(t *testing.T, text string, words ...string) {
	t.Helper()
	for _, w := range words {
		if !strings.Contains(text, w) {
			t.Errorf("%q does not say %q", text, w)
		}
	}
}

func yes(context.Context) error { return nil }

// What is typed arrives, sizes do, and the code of the shell comes back.
func TestTerminalFromFirstToLast(t *testing.T) {
	h := open(t.Context(), t, &parrot{}, yes)
	g, _ := h.enters("ann")
	g.reads("[80x24]")
	g.types("hello")
	g.reads("hello")
	g.tells(`{"resize":{"cols":120,"rows":40}}`)
	g.reads("[120x40]")
	g.types("exit 3")
	wants(t, g.last(), `"ended"`, `"reason":"exit"`, `"code":3`)
	if end := <-h.ends; end.Reason != terminal.Exited || end.Code != 3 || end.Shell != "parrot" {
		t.Errorf("it ended as %+v", end)
	}
}

// Time ends a terminal, and typing keeps it open; so do the rights and the pod.
func TestTerminalsEnd(t *testing.T) {
	refused := errors.New("ann may no longer")
	cases := map[string]struct {
		reason string
		shell  parrot
		still  error
		passes []time.Duration
		types  bool
		want   []string
	}{
		"idle":         {reason: "nothing was typed", passes: []time.Duration{terminal.Idle - time.Second, time.Second}, want: []string{`"reason":"idle"`, "30m"}},
		"long":         {reason: "typing keeps it open, and not for ever", passes: repeat(terminal.Idle/2, int(terminal.Longest/(terminal.Idle/2))), types: true, want: []string{`"reason":"long"`, "8h"}},
		"rights":       {reason: "who opened it may no longer", still: refused, passes: []time.Duration{time.Second}, want: []string{`"reason":"rights"`, "ann may no longer"}},
		"gone":         {reason: "the pod was deleted", shell: parrot{gone: fmt.Errorf("pod web was deleted: %w", terminal.ErrGone)}, passes: []time.Duration{time.Second}, want: []string{`"reason":"gone"`, "pod web"}},
		"unsure":       {reason: "nobody can be asked for a minute", still: terminal.ErrUnsure, passes: repeat(time.Second, 6), want: []string{`"reason":"rights"`, "nobody could be asked"}},
		"unsure of it": {reason: "the cluster cannot be asked", shell: parrot{gone: terminal.ErrUnsure}, passes: repeat(time.Second, 6), want: []string{`"reason":"rights"`}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			h := open(t.Context(), t, &tc.shell, func(context.Context) error { return tc.still })
			g, _ := h.enters("ann")
			g.reads("[80x24]")
			for i, d := range tc.passes {
				if tc.types {
					g.types("x")
					g.reads("x")
				}
				h.passes(d)
				if i < len(tc.passes)-1 && len(h.ends) > 0 {
					t.Fatalf("%s: it ended after %d looks", tc.reason, i+1)
				}
			}
			wants(t, g.last(), tc.want...)
		})
	}
}

func repeat(d time.Duration, n int) []time.Duration {
	out := make([]time.Duration, n)
	for i := range out {
		out[i] = d
	}
	return out
}

// A server that stops says so, waits for its terminals, and opens no more.
func TestTerminalsEndWithTheServer(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	h := open(ctx, t, &parrot{stuck: true}, yes)
	done := make(chan struct{})
	go func() { defer close(done); h.desk.Run(ctx) }()
	g, _ := h.enters("ann")
	stop()
	wants(t, g.last(), `"reason":"stop"`)
	<-done
	if len(h.ends) != 1 {
		t.Error("the desk did not wait for the terminal")
	}
	if _, code := h.enters("ann"); code != http.StatusTooManyRequests {
		t.Errorf("another terminal: %d", code)
	}
}

// Each person has places, and so have all together.
func TestTerminalsHavePlaces(t *testing.T) {
	h := open(t.Context(), t, &parrot{}, yes)
	var guests []*guest
	for range 5 {
		g, code := h.enters("ann")
		if code != http.StatusSwitchingProtocols {
			t.Fatalf("terminal %d: %d", len(guests), code)
		}
		guests = append(guests, g)
	}
	if _, code := h.enters("ann"); code != http.StatusTooManyRequests {
		t.Errorf("one more: %d", code)
	}
	if _, code := h.enters("bob"); code != http.StatusSwitchingProtocols {
		t.Errorf("another person: %d", code)
	}
	guests[0].types("exit 0")
	guests[0].last()
	if end := <-h.ends; end.Code != 0 || end.Reason != terminal.Exited {
		t.Errorf("it ended as %+v", end)
	}
}

// What is no part of a terminal ends it, and so does a frame that is too long.
func TestTerminalsTakeFramesWithinBounds(t *testing.T) {
	for name, frame := range map[string]struct {
		kind int
		data []byte
	}{
		"no JSON":      {websocket.TextMessage, []byte("hello")},
		"another wish": {websocket.TextMessage, []byte(`{"shell":"bash"}`)},
		"too large":    {websocket.TextMessage, []byte(`{"resize":{"cols":-1,"rows":99999999}}`)},
		"too long":     {websocket.BinaryMessage, bytes.Repeat([]byte("x"), 65<<10)},
	} {
		t.Run(name, func(t *testing.T) {
			h := open(t.Context(), t, &parrot{stuck: true}, yes)
			g, _ := h.enters("ann")
			if err := g.conn.WriteMessage(frame.kind, frame.data); err != nil {
				t.Fatal(err)
			}
			if end := <-h.ends; end.Reason != terminal.Left {
				t.Errorf("it ended as %+v", end)
			}
		})
	}
}

// A browser that floods a shell which does not read waits: nothing piles up
// here. The server ends the terminal all the same.
func TestTerminalFloods(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	h := open(ctx, t, &parrot{stuck: true}, yes)
	g, _ := h.enters("ann")
	chunk, sent, blocked := bytes.Repeat([]byte("x"), 32<<10), 0, false
	for ; sent < 64<<20 && !blocked; sent += len(chunk) {
		_ = g.conn.SetWriteDeadline(time.Now().Add(time.Second))
		blocked = g.conn.WriteMessage(websocket.BinaryMessage, chunk) != nil
	}
	if !blocked {
		t.Errorf("the server took %d bytes that nobody reads", sent)
	}
	stop()
	if end := <-h.ends; end.Reason != terminal.Stopped {
		t.Errorf("it ended as %+v", end)
	}
}

// Sizes that no screen has are cut down to what a shell is told.
func TestSizesAreBounded(t *testing.T) {
	s := terminal.NewSizes(terminal.Size{Cols: 80, Rows: 24})
	for wish, want := range map[terminal.Size]terminal.Size{
		{Cols: 65535, Rows: 40}:    {Cols: terminal.MaxSize, Rows: 40},
		{Cols: 120, Rows: 65535}:   {Cols: 120, Rows: terminal.MaxSize},
		{Cols: 65535, Rows: 65535}: {Cols: terminal.MaxSize, Rows: terminal.MaxSize},
	} {
		s.Put(wish)
		if got, _, ok := s.Next(t.Context(), 0); !ok || got != want {
			t.Errorf("%v is %v, want %v", wish, got, want)
		}
	}
}

// Of the input nothing is lost when one who reads gives way to another one.
func TestInputGoesOnWithAnotherReader(t *testing.T) {
	h := open(t.Context(), t, &relay{}, yes)
	g, _ := h.enters("ann")
	g.types("abcdef")
	g.reads("abcdef")
}

// relay reads two bytes by a reader that ends, and the rest by another one.
type relay struct{ parrot }

func (r *relay) Run(ctx context.Context, with terminal.Streams) error {
	first, end := context.WithCancel(ctx)
	defer end()
	two := make([]byte, 2)
	reader := with.In.Reader(first)
	if _, err := io.ReadFull(reader, two); err != nil {
		return err
	}
	end()
	if n, err := reader.Read(two); n > 0 || err == nil {
		return errors.New("one who has ended reads on")
	}
	rest := make([]byte, 4)
	if _, err := io.ReadFull(with.In.Reader(ctx), rest); err != nil {
		return err
	}
	if _, err := with.Out.Write(slices.Concat(two, rest)); err != nil {
		return err
	}
	return r.parrot.Run(ctx, with)
}

// faulty is a shell that panics.
type faulty struct{ parrot }

func (*faulty) Run(context.Context, terminal.Streams) error { panic("a fault") }

// TestPanicOfAShellEndsItsTerminal: and tells so, and leaves its place.
func TestPanicOfAShellEndsItsTerminal(t *testing.T) {
	h := open(t.Context(), t, &faulty{}, yes)
	g, code := h.enters("ann")
	if g == nil {
		t.Fatalf("nobody enters: %d", code)
	}
	if end := <-h.ends; end.Reason != terminal.Failed {
		t.Errorf("it ended with %+v", end)
	}
}

// What may be over in a moment ends nothing: only looks in a row that come to no answer do, and one that comes to an answer
// counts before them.
func TestLooksWithoutAnAnswer(t *testing.T) {
	unsure, gone := fmt.Errorf("the hub is away: %w", terminal.ErrUnsure), fmt.Errorf("pod web was deleted: %w", terminal.ErrGone)
	for name, tc := range map[string]struct {
		reason string
		looks  []error // of the person's right, one at a time
		pod    error
		want   []string
	}{
		"again":  {"five looks, an answer, and five more are forgiven", slices.Concat(each(unsure, 5), each(nil, 1), each(unsure, 6)), nil, []string{`"reason":"rights"`, "the hub is away"}},
		"pod":    {"that the pod is gone is known, whoever else is away", each(unsure, 1), gone, []string{`"reason":"gone"`, "pod web"}},
		"rights": {"that somebody may no longer is known, too", each(errors.New("ann may no longer"), 1), unsure, []string{`"reason":"rights"`, "ann may no longer"}},
	} {
		t.Run(name, func(t *testing.T) {
			asked := 0
			h := open(t.Context(), t, &parrot{gone: tc.pod}, func(context.Context) error { asked++; return tc.looks[asked-1] })
			g, _ := h.enters("ann")
			g.reads("[80x24]")
			for i := range tc.looks {
				if len(h.ends) > 0 {
					t.Fatalf("%s: it ended after %d looks", tc.reason, i)
				}
				h.passes(time.Second)
			}
			wants(t, g.last(), tc.want...)
			if <-h.ends; asked != len(tc.looks) {
				t.Errorf("%s: %d looks, want %d", tc.reason, asked, len(tc.looks))
			}
		})
	}
}

func each(err error, n int) []error { return slices.Repeat([]error{err}, n) }

// A window that is drawn larger shows nobody's presence, and one without an extent is none.
func TestResizingIsNoTyping(t *testing.T) {
	h := open(t.Context(), t, &parrot{}, yes)
	g, _ := h.enters("ann")
	g.reads("[80x24]")
	h.passes(terminal.Idle - time.Second)
	g.tells(`{"resize":{"cols":0,"rows":40}}`)
	g.tells(`{"resize":{"cols":120,"rows":40}}`)
	g.reads("[120x40]") // and none of 0 columns before it
	h.passes(time.Second)
	wants(t, g.last(), `"reason":"idle"`)
}

// lost is a shell that ends with an error.
type lost struct {
	parrot

	err error
}

func (l *lost) Run(context.Context, terminal.Streams) error { return l.err }

// What ended a shell is told in a word, and in no more text than a browser shows.
func TestHowShellsAreLost(t *testing.T) {
	for name, tc := range map[string]struct {
		reason string
		err    error
		want   terminal.Reason
	}{
		"gone":    {"its pod went away", fmt.Errorf("pod web was deleted: %w", terminal.ErrGone), terminal.Gone},
		"exit":    {"it ended by itself, however deep that is told", fmt.Errorf("stream: %w", &terminal.Exit{Code: 137}), terminal.Exited},
		"refused": {"no shell could be started", errors.New("no shell in the container"), terminal.Failed},
		"long":    {"a cluster may say anything", errors.New(strings.Repeat("ж", 1<<20)), terminal.Failed},
	} {
		t.Run(name, func(t *testing.T) {
			h := open(t.Context(), t, &lost{err: tc.err}, yes)
			g, _ := h.enters("ann")
			said := g.last()
			if end := <-h.ends; end.Reason != tc.want || end.Shell != "" || len(said) > 4<<10 || !strings.Contains(said, `"reason":"`+string(tc.want)+`"`) {
				t.Errorf("%s: it ended with %s, of which a browser is told %d bytes", tc.reason, end.Reason, len(said))
			}
		})
	}
}
