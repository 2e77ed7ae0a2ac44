package local

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"k8s.io/client-go/rest"
)

// TestRecognize: a connection leads to a fleet by who vouches for the server,
// and where nobody does by where that is.
func TestRecognize(t *testing.T) {
	const port = "https://127.0.0.1:1"
	ca := func(text string) rest.TLSClientConfig { return rest.TLSClientConfig{CAData: []byte(text)} }
	file := filepath.Join(t.TempDir(), "ca")
	if err := os.WriteFile(file, []byte("a\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	cases := map[string]struct {
		reason  string
		at      string
		tls     rest.TLSClientConfig
		stopped bool
		planted bool
		want    bool
	}{
		"AsWritten":       {reason: "what up writes", at: port, tls: ca("a"), want: true},
		"OtherName":       {reason: "a kubeconfig may name the machine otherwise", at: "https://localhost:1", tls: ca("a"), want: true},
		"OtherPort":       {reason: "something may stand between", at: "https://127.0.0.1:2", tls: ca("a\n"), want: true},
		"CAFile":          {reason: "who vouches may be in a file", at: port, tls: rest.TLSClientConfig{CAFile: file}, want: true},
		"Stopped":         {reason: "who vouches is of one cluster alone", at: port, tls: ca("a"), stopped: true, want: true},
		"Planted":         {reason: "its kubeconfig may have been changed", at: port, tls: ca("a"), planted: true, want: true},
		"AnotherAt":       {reason: "another cluster has the port now", at: port, tls: ca("b")},
		"Nobody":          {reason: "nobody vouches: the address tells", at: "https://[::1]:1", tls: rest.TLSClientConfig{Insecure: true}, want: true},
		"NobodyByName":    {reason: "a host without a scheme", at: "localhost:1", want: true},
		"NobodyElsewhere": {reason: "the same port of another machine", at: "https://example.com:1"},
		"NobodyOtherPort": {reason: "another port", at: "https://127.0.0.1:2"},
		"NobodyStopped":   {reason: "what has the port of a fleet that is stopped is something else", at: port, stopped: true},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Setenv("XDG_STATE_HOME", t.TempDir())
			state := t.TempDir()
			home, err := HomeOf(state, "f")
			if err != nil {
				t.Fatal(err)
			}
			lock, err := home.Lock()
			if err != nil {
				t.Fatal(err)
			}
			released := false
			release := func() {
				if !released {
					released = true
					_ = lock.Release()
				}
			}
			t.Cleanup(release)
			if tc.stopped {
				release()
			}
			text := kubeconfigOfUp
			if tc.planted {
				text = strings.Replace(text, "client-certificate-data: YQ==, client-key-data: Yg==", "exec: {apiVersion: client.authentication.k8s.io/v1, command: sh, interactiveMode: Never}", 1)
			}
			if err := WriteFile(home.Kubeconfig(), []byte(text)); err != nil {
				t.Fatal(err)
			}
			got, ok := Recognize(&rest.Config{Host: tc.at, TLSClientConfig: tc.tls}, state)
			if ok != tc.want || ok && got != home {
				t.Errorf("%s: it is %v, %t", tc.reason, got, ok)
			}
		})
	}
}

// TestRecognizeByTheUsersState: whose fleets they are needs not be said.
func TestRecognizeByTheUsersState(t *testing.T) {
	top := t.TempDir()
	t.Setenv("XDG_STATE_HOME", top)
	to := &rest.Config{Host: "https://127.0.0.1:1", TLSClientConfig: rest.TLSClientConfig{CAData: []byte("a")}}
	if home, ok := Recognize(to); ok {
		t.Fatalf("before any was started it is %v", home)
	}
	state, err := StateFolder(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	home, err := HomeOf(state, "f")
	if err != nil {
		t.Fatal(err)
	}
	lock, err := home.Lock()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = lock.Release() })
	if err := WriteFile(home.Kubeconfig(), []byte(kubeconfigOfUp)); err != nil {
		t.Fatal(err)
	}
	if got, ok := Recognize(to); !ok || got != home {
		t.Errorf("it is %v, %t", got, ok)
	}
}
