package cluster

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

func TestOptionsValidate(t *testing.T) {
	good := Options{Name: "west-1", Nodes: 1, ReadyWithin: time.Second, Encryption: "age"}
	tests := map[string]struct {
		reason string
		change func(*Options)
		want   string
	}{
		"Good":     {reason: "nothing to say", change: func(*Options) {}},
		"NoName":   {reason: "a context needs a name", change: func(o *Options) { o.Name = "" }, want: "name"},
		"OddName":  {reason: "names end up in shells", change: func(o *Options) { o.Name = "a b" }, want: `"a b"`},
		"NoNodes":  {reason: "nothing could be scheduled", change: func(o *Options) { o.Nodes = 0 }, want: "0 nodes"},
		"AllNodes": {reason: "memory is bounded", change: func(o *Options) { o.Nodes = 1 << 20 }, want: "nodes"},
		"Port":     {reason: "a port has 16 bits", change: func(o *Options) { o.Port = 1 << 16 }, want: "65536"},
		"NoWay":    {reason: "a typo does not switch encryption off", change: func(o *Options) { o.Encryption = "of" }, want: "age or off"},
		"BothWays": {reason: "one of the two is not meant", change: func(o *Options) { o.Encryption, o.KMSSocket = "off", "kms.sock" }, want: "either"},
		"NoTime":   {reason: "it could never be ready", change: func(o *Options) { o.ReadyWithin = 0 }, want: "within"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			o := good
			tc.change(&o)
			err := o.Validate()
			if (err == nil) != (tc.want == "") || err != nil && !strings.Contains(err.Error(), tc.want) {
				t.Errorf("%s: got %v, want %q in it", tc.reason, err, tc.want)
			}
		})
	}
}

func block(ctx context.Context) error {
	<-ctx.Done()
	return nil
}

func TestPartsStopInOrder(t *testing.T) {
	owner, end := context.WithCancel(t.Context())
	p := newParts(owner)
	var secondEnded atomic.Bool
	p.first("server", func(ctx context.Context) error {
		<-ctx.Done()
		if !secondEnded.Load() {
			t.Error("the server stopped before what works on it")
		}
		return nil
	})
	p.second("client", func(ctx context.Context) error {
		<-ctx.Done()
		secondEnded.Store(true)
		return nil
	})
	end()
	if err := p.wait(); err != nil {
		t.Errorf("an end that was asked for is an error: %v", err)
	}
	p.stop()
}

func TestPartsTellTheFirstFailure(t *testing.T) {
	broken := errors.New("broken")
	tests := map[string]struct {
		reason string
		run    func(context.Context) error
		want   string
	}{
		"Error":  {reason: "the cause comes through", run: func(context.Context) error { return broken }, want: "broken"},
		"Return": {reason: "a component that just ends has failed", run: func(context.Context) error { return nil }, want: "part stopped by itself"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			p := newParts(t.Context())
			defer p.stop()
			p.first("other", block)
			p.second("part", tc.run)
			if err := p.wait(); err == nil || err.Error() != tc.want {
				t.Errorf("%s: got %v, want %s", tc.reason, err, tc.want)
			}
		})
	}
}

func TestWithTail(t *testing.T) {
	log := filepath.Join(t.TempDir(), "log")
	body := strings.Repeat("a line of the log\n", 1000) + "the last line\n"
	if err := os.WriteFile(log, []byte(body), 0o600); err != nil {
		t.Fatal(err)
	}
	cause := errors.New("cause")
	err := withTail(cause, log)
	if !errors.Is(err, cause) || !strings.HasSuffix(err.Error(), "the last line") {
		t.Errorf("got %v", err)
	}
	if len(err.Error()) > tailBytes+100 {
		t.Errorf("the error is %d bytes long", len(err.Error()))
	}
	if err := withTail(cause, log+"-not"); err.Error() != "cause" {
		t.Errorf("without a log: %v", err)
	}
}
