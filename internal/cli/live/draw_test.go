package live

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/charmbracelet/x/ansi"

	"github.com/causeway-gitops/causeway/internal/local/fleetstatus"
)

// TestATableIsDrawnUntilTheEnd: with notes above it, and the last picture is the one that stays.
func TestATableIsDrawnUntilTheEnd(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	out, notes, ended := &buffer{}, make(chan string), make(chan error, 1)
	stopped := starting()
	stopped.Step = fleetstatus.Stopped
	show := Show{Out: out, Style: Plain(), Terminal: true, Now: func() time.Time { return start }, In: strings.NewReader("\x03")}
	go func() { ended <- show.Run(ctx, &ending{picture: starting(), last: stopped}, notes) }()
	notes <- "all is well\n\n"
	for !strings.Contains(out.String(), "all is well") || !strings.Contains(out.String(), "Fleet example · starting 3 clusters") {
		select {
		case err := <-ended:
			t.Fatalf("it ends by itself: %v", err)
		case <-time.After(time.Millisecond):
		}
	}
	cancel()
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	if text := ansi.Strip(out.String()); strings.LastIndex(text, "· stopped ·") < strings.LastIndex(text, "· starting 3") {
		t.Errorf("what is left on the screen is\n%s", text)
	}
}

// ending is a feed of one picture, and of another once its reader is told to end.
type ending struct{ picture, last fleetstatus.Snapshot }

func (e *ending) Next(ctx context.Context, version int) (fleetstatus.Snapshot, int, error) {
	switch {
	case ctx.Err() != nil && version < 0:
		return e.last, 2, nil
	case version < 1:
		return e.picture, 1, nil
	}
	<-ctx.Done()
	return fleetstatus.Snapshot{}, 0, ctx.Err()
}

// TestTheLastPictureIsToldAtTheEnd, as what ended it came with it; and none comes sooner than the pace has it.
func TestTheLastPictureIsToldAtTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		began := time.Now()
		news := pictures(ctx, reel{starting(), rolling(), done()}, time.Minute)
		for i, want := range []string{"starting 3 clusters", "rolling out", "rolling out"} {
			if got := <-news; got.Step != want || time.Since(began) != time.Duration(i)*time.Minute {
				t.Errorf("picture %d is %q after %s", i, got.Step, time.Since(began))
			}
		}
		cancel()
		if _, more := <-news; !more {
			t.Error("the last one is not told")
		}
		if _, more := <-news; more {
			t.Error("it goes on after the last one")
		}
	})
}

// TestWritingEndsWhereNobodyReads: lines and notes that cannot be written are told to whoever asked for them, and nothing goes on.
func TestWritingEndsWhereNobodyReads(t *testing.T) {
	for what, feed := range map[string]Feed{"a note": reel{}, "a line": reel{starting(), rolling()}} {
		synctest.Test(t, func(t *testing.T) {
			closed, out := io.Pipe()
			_ = closed.CloseWithError(io.ErrClosedPipe)
			notes := make(chan string, 1)
			if what == "a note" {
				notes <- "all is well\n"
			}
			show := Show{Out: out, Style: Plain(), Now: func() time.Time { return start }}
			if err := show.Run(t.Context(), feed, notes); !errors.Is(err, io.ErrClosedPipe) {
				t.Errorf("%s: %v", what, err)
			}
		})
	}
}

// TestTextsTakeTheColumnsThatTheyShow: wide letters take two, and marks of accents none.
func TestTextsTakeTheColumnsThatTheyShow(t *testing.T) {
	wide, accent := strings.Repeat("\u5e97", 4), "cafe\u0301"
	for what, got := range map[string]int{
		"cut": ansi.StringWidth(cut(wide, 5)), "pad": ansi.StringWidth(pad(wide, 12)) - 7, "to the left": ansi.StringWidth(padLeft(accent, 5)),
	} {
		if got != 5 {
			t.Errorf("%s: %d columns, want 5", what, got)
		}
	}
	for text, want := range map[string]string{pad("long", 2): "long", padLeft("long", 2): "long", cut("a\nb\tc", 9): "a b c", cut("abc", 0): "…", cut("abc", 3): "abc"} {
		if text != want {
			t.Errorf("%q, want %q", text, want)
		}
	}
	if got := wrap(strings.Repeat("word ", 9), 3, 2); len(got) != 2 || !strings.HasSuffix(got[1], "…") {
		t.Errorf("on a screen that is too narrow: %q", got)
	}
	if got := wrap("two words", 10, 1); len(got) != 1 || got[0] != "two words" {
		t.Errorf("what has room is whole: %q", got)
	}
}

// TestColoursAreThoseOfWhatAWordMeans, where there are any: no colour is asked for by a user, or can be had by no terminal.
func TestColoursAreThoseOfWhatAWordMeans(t *testing.T) {
	t.Setenv("CLICOLOR_FORCE", "1")
	t.Setenv("NO_COLOR", "")
	coloured := NewStyle(io.Discard, true)
	signs := map[string]string{}
	for sign, words := range map[string]string{"good": "Synced Healthy Succeeded ok ready", "busy": "OutOfSync Progressing Missing warn", "bad": "Degraded Failed fail Error", "dim": "Unknown -"} {
		for word := range strings.FieldsSeq(words) {
			before, _, _ := strings.Cut(coloured.Word(word), word)
			if before == "" || signs[sign] != "" && signs[sign] != before {
				t.Errorf("%s is as %q as others that are %s: %q", word, before, sign, signs[sign])
			}
			signs[sign] = before
		}
	}
	if len(signs) != 4 || signs["good"] == signs["bad"] || signs["busy"] == signs["bad"] || coloured.Word("shop") != "shop" {
		t.Errorf("they cannot be told apart: %q", signs)
	}
	for _, shown := range []string{coloured.Title("x"), coloured.Added("x"), coloured.Removed("x"), coloured.Changed("x"), coloured.Dim("x")} {
		before, after, _ := strings.Cut(shown, "x")
		if all := coloured.Signs(); before == "" || !strings.Contains(strings.Join(all, "|"), before) || !strings.Contains(strings.Join(all, "|"), after) {
			t.Errorf("%q would not pass to a terminal: %q", shown, all)
		}
	}
	if got := NewStyle(io.Discard, false).Word("Degraded"); got != "Degraded" {
		t.Errorf("nobody wants colours: %q", got)
	}
}
