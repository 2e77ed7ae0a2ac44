package credential

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"
	"time"
)

// TestMain is the plugin itself when it is told to be.
func TestMain(m *testing.M) {
	switch os.Getenv("PLUGIN") {
	case "":
		os.Exit(m.Run())
	case "token":
		_, _ = os.Stdout.WriteString(`{"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential","status":{"token":"` + os.Getenv("WANT") + `","expirationTimestamp":"2040-01-01T00:00:00Z"}}`)
	case "info":
		info := os.Getenv("KUBERNETES_EXEC_INFO")
		if !strings.Contains(info, `"server":"https://c.test"`) {
			os.Exit(7)
		}
		_, _ = os.Stdout.WriteString(`{"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential","status":{"token":"told"}}`)
	case "much":
		for {
			if _, err := os.Stdout.WriteString(strings.Repeat("hunter2", 1000)); err != nil {
				os.Exit(1)
			}
		}
	case "fail":
		_, _ = os.Stderr.WriteString("hunter2")
		os.Exit(3)
	case "hang":
		time.Sleep(10 * time.Minute) // it is killed
	case "other":
		_, _ = os.Stdout.WriteString(`{"apiVersion":"client.authentication.k8s.io/v1beta1","kind":"ExecCredential","status":{"token":"hunter2"}}`)
	case "text":
		_, _ = os.Stdout.WriteString("hunter2")
	case "pair":
		_, _ = os.Stdout.WriteString(`{"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential","status":{"clientCertificateData":"hunter2","clientKeyData":"hunter2"}}`)
	case "empty":
		_, _ = os.Stdout.WriteString(`{"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential","status":{}}`)
	}
}

func self(t *testing.T, how string) Plugin {
	t.Helper()
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return Plugin{Command: path, Env: map[string]string{"PLUGIN": how, "WANT": "t"}, Version: Versions[0], Cluster: map[string]any{"server": "https://c.test"}}
}

func TestPlugin(t *testing.T) {
	cases := map[string]struct{ reason, token, says string }{
		"token": {"a token is taken", "t", ""},
		"info":  {"it is told of the cluster", "told", ""},
		"much":  {"it prints without an end", "", "prints more than"},
		"fail":  {"its status is told, not what it says", "", "status 3"},
		"other": {"versions must agree", "", "apiVersion"},
		"text":  {"anything may be printed", "", "does not print an ExecCredential"},
		"pair":  {"a pair must be one", "", "do not belong together"},
		"empty": {"nothing is too little", "", "neither"},
	}
	for how, tc := range cases {
		t.Run(how, func(t *testing.T) {
			c, err := self(t, how).Get(t.Context())
			if tc.says == "" {
				if err != nil || c.Token != tc.token {
					t.Fatalf("%s: got %q, %v", tc.reason, c.Token, err)
				}
				return
			}
			if err == nil || !strings.Contains(err.Error(), tc.says) || strings.Contains(err.Error(), "hunter2") {
				t.Errorf("%s: got %v", tc.reason, err)
			}
		})
	}
}

// TestPluginHangs ends one that nobody waits for any more.
func TestPluginHangs(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := self(t, "hang").Get(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

// TestPluginTakesForEver ends one that prints nothing, and says after how long.
func TestPluginTakesForEver(t *testing.T) {
	p := self(t, "hang")
	p.within = time.Millisecond
	if _, err := p.Get(t.Context()); err == nil || !strings.Contains(err.Error(), "does not end within 1ms") {
		t.Errorf("got %v", err)
	}
}

func TestPluginMissing(t *testing.T) {
	_, err := Plugin{Command: "causeway-no-such-plugin", Version: Versions[0], Hint: "install it from here"}.Get(t.Context())
	if err == nil || !strings.Contains(err.Error(), "install it from here") {
		t.Errorf("got %v", err)
	}
}
