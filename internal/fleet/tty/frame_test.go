package tty

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"

	"k8s.io/client-go/util/exec"
)

// frame is one as a server sends it, of a length that it says in one way or another.
func frame(first byte, text string) string {
	switch n := len(text); {
	case n <= 125:
		return string([]byte{first, byte(n)}) + text
	case n < 1<<16:
		return string([]byte{first, 126, byte(n >> 8), byte(n)}) + text
	default:
		return string([]byte{first, 127, 0, 0, 0, 0, byte(n >> 24), byte(n >> 16), byte(n >> 8), byte(n)}) + text
	}
}

// sink takes what the terminal answers.
type sink struct{ bytes.Buffer }

func (*sink) Close() error { return nil }

// TestFramesOfAServer: what is not of a terminal ends it, as nobody knows what it means.
func TestFramesOfAServer(t *testing.T) {
	const whole, part, last, end = final | data, data, final | more, "\x88\x00"
	long := strings.Repeat("x", 1<<16)
	for name, tc := range map[string]struct {
		reason, sent, out string
		err               error
	}{
		"Text":        {"what a program prints", frame(whole, "\x01a") + frame(whole, "\x01b") + end, "ab", nil},
		"Lengths":     {"lengths of each form", frame(whole, "\x01"+long[:124]) + frame(whole, "\x01"+long[:125]) + frame(whole, "\x01"+long) + end, long[:249] + long, nil},
		"Parts":       {"the channel stands in the first part alone", frame(part, "\x01a") + frame(more, "b") + frame(last, "\x03c") + end, "ab\x03c", nil},
		"PingBetween": {"a question may come between parts", frame(part, "\x01a") + frame(final|ping, "x") + frame(last, "b") + end, "ab", nil},
		"Other":       {"another channel is none of a terminal's", frame(whole, "\x02a") + frame(whole, "\x09b") + frame(whole, "") + end, "", nil},
		"Gone":        {"a connection that ends between frames", frame(whole, "\x01a"), "a", nil},
		"Cut":         {"one that ends within one", frame(whole, "\x01abc")[:4], "a", nil},
		"CutLength":   {"or within its length", "\x82\x7e\x01", "", io.ErrUnexpectedEOF},
		"Begun":       {"a second beginning", frame(part, "\x01a") + frame(whole, "\x01b"), "a", errFrame},
		"NoBegin":     {"a part of nothing", frame(last, "\x01a"), "", errFrame},
		"Words":       {"a frame of text", frame(final|1, "\x01a"), "", errFrame},
		"Reserved":    {"a frame that is packed as nobody agreed", frame(whole|0x40, "\x01a"), "", errFrame},
		"Masked":      {"a server masks nothing", "\x82\x82", "", errFrame},
		"LongPing":    {"a question is short", frame(final|ping, long[:126]), "", errFrame},
		"PingInParts": {"and whole", frame(ping, "x"), "", errFrame},
	} {
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			term := &terminal{to: &writer{conn: &sink{}, wait: writeTime}, out: &out}
			err := term.read(bufio.NewReader(strings.NewReader(tc.sent)), func() {})
			if !errors.Is(err, tc.err) || tc.err == nil && err != nil || out.String() != tc.out {
				t.Errorf("%s: %v, %d bytes", tc.reason, err, out.Len())
			}
		})
	}
}

// TestPingsAreAnswered with what they ask, masked, as servers refuse anything else.
func TestPingsAreAnswered(t *testing.T) {
	to := &sink{}
	term := &terminal{to: &writer{conn: to, wait: writeTime}, out: io.Discard}
	if err := term.read(bufio.NewReader(strings.NewReader(frame(final|ping, "there?")+frame(final|pong, ""))), func() {}); err != nil {
		t.Fatal(err)
	}
	got := to.Bytes()
	if len(got) != 12 || got[0] != final|pong || got[1] != masked|6 {
		t.Fatalf("the answer is %x", got)
	}
	for i := range 6 {
		got[6+i] ^= got[2+i%4]
	}
	if string(got[6:]) != "there?" {
		t.Errorf("it says %q", got[6:])
	}
}

// TestTheLastWordsCount: how the connection ends says less.
func TestTheLastWordsCount(t *testing.T) {
	term := &terminal{to: &writer{conn: &sink{}, wait: writeTime}, out: io.Discard}
	sent := frame(final|data, "\x03"+exit3[:20]) + frame(final|data, "\x03"+exit3[20:])
	err := term.read(bufio.NewReader(io.MultiReader(strings.NewReader(sent), broken{})), func() {})
	if exit := (exec.CodeExitError{}); !errors.As(err, &exit) || exit.Code != 3 {
		t.Errorf("it ended with %v", err)
	}
	if err := term.ended(net.ErrClosed); errors.Is(err, net.ErrClosed) {
		t.Errorf("the words are lost: %v", err)
	}
}

type broken struct{}

func (broken) Read([]byte) (int, error) { return 0, net.ErrClosed }

// TestWaysATerminalEnds has what API servers say of it, and what they never should.
func TestWaysATerminalEnds(t *testing.T) {
	failure := func(more string) string { return `{"status":"Failure"` + more + `}` }
	for name, tc := range map[string]struct {
		reason, words, says string
		code                int
	}{
		"Success":    {"the command ended well", `{"status":"Success"}`, "", 0},
		"Code":       {"it ended with a code", exit3, "the command ended with 3", 3},
		"TooLarge":   {"no command ends with such a code", failure(`,"message":"m","reason":"NonZeroExitCode","details":{"causes":[{"reason":"ExitCode","message":"256"}]}`), "m", 0},
		"NoNumber":   {"or with a word", failure(`,"message":"m","reason":"NonZeroExitCode","details":{"causes":[{"reason":"ExitCode","message":"-1"},{"message":"7"}]}`), "m", 0},
		"OtherCause": {"a code of something else", failure(`,"message":"m","reason":"InternalError","details":{"causes":[{"reason":"ExitCode","message":"7"}]}`), "m", 0},
		"Message":    {"there is no shell", failure(`,"message":"exec: sh: not found"`), "exec: sh: not found", 0},
		"Reason":     {"the reason has to do", failure(`,"reason":"InternalError"`), "InternalError", 0},
		"Silent":     {"an error says something", failure(""), "does not say why", 0},
		"Nothing":    {"also where nothing was said of success", `{}`, "does not say why", 0},
		"Broken":     {"what cannot be read", `{"status":`, errFrame.Error(), 0},
	} {
		t.Run(name, func(t *testing.T) {
			err := Ended([]byte(tc.words))
			exit := exec.CodeExitError{}
			if errors.As(err, &exit); exit.Code != tc.code || (err != nil) != (tc.says != "") || !strings.Contains(fmt.Sprint(err), tc.says) {
				t.Errorf("%s: %v", tc.reason, err)
			}
		})
	}
	if err := Ended([]byte(failure(`,"message":"` + strings.Repeat("x", 10*shown) + `"`))); len(err.Error()) > 2*shown {
		t.Errorf("%d bytes are repeated", len(err.Error()))
	}
}
