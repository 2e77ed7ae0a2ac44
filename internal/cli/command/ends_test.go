package command

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestCommandsEndInTheirTime: what was being done then is not what is told, and another failure is.
func TestCommandsEndInTheirTime(t *testing.T) {
	wire, late := errors.New("connection reset"), Latef("not done within 1ns")
	over, cancel := Within(t.Context(), time.Nanosecond, late)
	defer cancel()
	<-over.Done()
	if err := Overdue(over, wire); err == nil || err.Error() != "not done within 1ns" || ExitCode(err) != ExitLate {
		t.Errorf("the time is over: %v", err)
	}
	if err := Overdue(over, nil); err != nil {
		t.Errorf("it was done all the same: %v", err)
	}
	endless, cancel := Within(t.Context(), 0, late)
	if _, limited := endless.Deadline(); limited {
		t.Error("0 is a bound")
	}
	if err := Overdue(endless, wire); !errors.Is(err, wire) {
		t.Errorf("there is time: %v", err)
	}
	cancel()
	if err := Overdue(endless, wire); !errors.Is(err, wire) {
		t.Errorf("who pressed ctrl-c is not told of a time: %v", err)
	}
	if err := Sleep(endless, time.Hour); !errors.Is(err, context.Canceled) {
		t.Errorf("nobody waits any more: %v", err)
	}
}

// TestEndsThatAreNotPrinted are answers, or have been printed.
func TestEndsThatAreNotPrinted(t *testing.T) {
	for err, silent := range map[error]bool{
		ErrChanges: true, ErrSaid: true, fmt.Errorf("a: %w", ErrSaid): true, ErrLate: true, Latef("not gone within 5m"): false, ErrStopped: false, ErrInterrupted: false, Usagef("no"): false, Unasked{"--yes"}: false,
	} {
		if Silent(err) != silent {
			t.Errorf("%v: silent is %v", err, !silent)
		}
	}
	for err, want := range map[error]int{Unasked{"--yes"}: ExitUsage, fmt.Errorf("a: %w", Usagef("no")): ExitUsage, ErrStopped: ExitInterrupted, fmt.Errorf("a: %w", ErrChanges): ExitChanges, errors.New("x"): ExitFailed} {
		if got := ExitCode(err); got != want {
			t.Errorf("%v: exits with %d, not %d", err, got, want)
		}
	}
}

// TestLogsOfFleetsKeepTheLast, so that it tells why the fleet ended.
func TestLogsOfFleetsKeepTheLast(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f", "up.log")
	for _, text := range []string{"first", "second", "third"} {
		f, err := LogFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.WriteString(text); err != nil {
			t.Fatal(err)
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if now, last := Tail(path, 9), Tail(path+".1", 9); now != "third" || last != "second" {
		t.Errorf("now %q, the last %q", now, last)
	}
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("others may read it: %v, %v", info, err)
	}
	if _, err := LogTo(&bytes.Buffer{}, "xml", 0); ExitCode(err) != ExitUsage || err.Error() != `cannot log as "xml": use text or json` {
		t.Error(err)
	}
}

// TestEndsOfFiles are so many lines, and of a large file what is read of it.
func TestEndsOfFiles(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log")
	cases := map[string]struct {
		reason, text string
		lines        int
		want         string
	}{
		"some":  {"the last ones", "a\nb\nc\n", 2, "b\nc"},
		"all":   {"there are not more", "a\nb", 9, "a\nb"},
		"none":  {"nothing is asked for", "a\nb\n", 0, ""},
		"empty": {"there is nothing", "", 3, ""},
		"large": {"the beginning is not read", strings.Repeat("x\n", tailBytes) + "end\n", 2, "x\nend"},
	}
	for name, c := range cases {
		if err := os.WriteFile(path, []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		if got := Tail(path, c.lines); got != c.want {
			t.Errorf("%s: %s: %.40q", name, c.reason, got)
		}
	}
	if got := Tail(path+"-not", 3); !strings.Contains(got, "no such file") {
		t.Errorf("that there is none is told in its place: %q", got)
	}
}

// TestProgressIsToldNowAndThen where no terminal is, and leaves nothing on one.
func TestProgressIsToldNowAndThen(t *testing.T) {
	var out bytes.Buffer
	now := time.Now()
	p := NewProgress(&out)
	p.now, p.last = func() time.Time { return now }, now
	for _, step := range []time.Duration{0, telling - 1, 1, 0, telling} {
		now = now.Add(step)
		p.Show("render", 1, 2)
	}
	p.End()
	if out.String() != "render: 1 of 2\nrender: 1 of 2\n" {
		t.Errorf("got %q", out.String())
	}
	out.Reset()
	drawn := &Progress{out: &out, terminal: true, now: func() time.Time { return now }}
	for _, done := range []int{0, 3, 9} { // more than all, and of none
		drawn.draw("fetch", done, 3)
	}
	drawn.draw("fetch", 0, 0)
	drawn.End()
	drawn.End()
	if text := out.String(); strings.Count(text, "█") != 2*barWidth || strings.Contains(text, "\n") || !strings.HasSuffix(text, "0/0\r\x1b[K") {
		t.Errorf("got %q", text)
	}
}
