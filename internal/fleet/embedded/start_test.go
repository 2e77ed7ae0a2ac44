package embedded_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/causeway-gitops/causeway/internal/fleet/embedded"
	"github.com/causeway-gitops/causeway/test/await"
)

// script is a causeway-kube that does as the test wants.
func script(t *testing.T, body string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "causeway-kube")
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+body+"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestStartTells(t *testing.T) {
	tests := map[string]struct {
		reason string
		binary string
		within time.Duration
		want   string
	}{
		"LastWords": {
			reason: "what the child said before it gave up is what helps",
			binary: script(t, "echo 'cannot serve on port 1' >&2; exit 3"),
			within: await.Limit,
			want:   "cannot serve on port 1",
		},
		"NotReady": {
			reason: "a child that never gets ready must not hold up its caller",
			binary: script(t, "echo 'still waiting' >&2; cat <&3"),
			within: time.Second,
			want:   "deadline exceeded",
		},
		"NoProgram": {
			reason: "a wrong path is named",
			binary: "/nowhere/causeway-kube",
			within: await.Limit,
			want:   "/nowhere/causeway-kube",
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), tc.within)
			defer cancel()
			_, err := embedded.Start(ctx, embedded.Options{Binary: tc.binary})
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("%s: got %v, want %q in it", tc.reason, err, tc.want)
			}
		})
	}
}

// TestStopWithin stops a child that needs longer than the usual time.
func TestStopWithin(t *testing.T) {
	said := filepath.Join(t.TempDir(), "arguments")
	binary := script(t, `echo "$@" >`+said+"; echo 'ready: x'; cat <&3")
	c, err := embedded.Start(t.Context(), embedded.Options{Binary: binary, StopWithin: await.Limit})
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Stop(); err != nil {
		t.Error(err)
	}
	if text, err := os.ReadFile(said); err != nil || !strings.Contains(string(text), "--stop-within="+await.Limit.String()) {
		t.Errorf("the child has a bound of its own, which it is not told: %q, %v", text, err)
	}
}

func TestFindBinary(t *testing.T) {
	there := script(t, "")
	tests := map[string]struct {
		reason   string
		variable string
		want     string
		err      error
	}{
		"Named":   {reason: "the variable decides", variable: there, want: there},
		"Missing": {reason: "a wrong variable is not passed over", variable: there + "-not", err: embedded.ErrNoBinary},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Setenv("CAUSEWAY_KUBE", tc.variable)
			got, err := embedded.FindBinary()
			if got != tc.want || !errors.Is(err, tc.err) {
				t.Errorf("%s: got %q, %v; want %q, %v", tc.reason, got, err, tc.want, tc.err)
			}
		})
	}
}

func TestFindBinaryNowhere(t *testing.T) {
	t.Setenv("CAUSEWAY_KUBE", "")
	t.Setenv("PATH", t.TempDir())
	t.Chdir(t.TempDir())
	_, err := embedded.FindBinary()
	if !errors.Is(err, embedded.ErrNoBinary) || !strings.Contains(err.Error(), "make build") {
		t.Errorf("got %v, want an error that names `make build`", err)
	}
}
