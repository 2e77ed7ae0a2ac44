package kms

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	api "k8s.io/kms/apis/v2"

	"github.com/causeway-gitops/causeway/internal/cli/command"
	"github.com/causeway-gitops/causeway/test/await"
)

const planted = "planted-seed-of-thirty-two-bytes"

// said is what a command prints, for a test that reads it meanwhile.
type said struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (s *said) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.Write(p)
}

func (s *said) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.String()
}

func run(ctx context.Context, out io.Writer, args ...string) error {
	cmd := New(&command.Global{Streams: command.Streams{Out: out, Err: out}})
	cmd.SetArgs(args)
	cmd.SetOut(out)
	cmd.SetErr(out)
	cmd.SilenceErrors, cmd.SilenceUsage = true, true
	return cmd.ExecuteContext(ctx)
}

// eventually waits until something is so.
func eventually(t *testing.T, what string, so func() bool) {
	t.Helper()
	deadline := time.After(await.Limit)
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for !so() {
		select {
		case <-tick.C:
		case <-deadline:
			t.Fatal(what)
		}
	}
}

// TestServe makes a key, serves it, rotates it, breaks it, and reads what is told of all that.
func TestServe(t *testing.T) {
	folder := t.TempDir()
	key, socket := filepath.Join(folder, "kms.key"), filepath.Join(folder, "kms.sock")
	out := &said{}
	if err := run(t.Context(), out, "new-key", key); err != nil || !strings.Contains(out.String(), "encrypts now") {
		t.Fatalf("%v: %s", err, out)
	}
	ctx, end := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- run(ctx, out, "--key=age:"+key, "--socket="+socket, "--listen=127.0.0.1:0") }()
	defer func() {
		end()
		if err := <-ended; err != nil {
			t.Errorf("it ended with %v", err)
		}
		if _, err := os.Lstat(socket); err == nil {
			t.Error("the socket is left behind")
		}
		if strings.Contains(out.String(), planted) || strings.Contains(out.String(), "AGE-SECRET-KEY") {
			t.Errorf("the log tells a secret:\n%s", out)
		}
	}()
	eventually(t, "it does not serve", func() bool { return strings.Contains(out.String(), "this key encrypts now") })
	connection, err := grpc.NewClient("unix:"+socket, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = connection.Close() }()
	client := api.NewKeyManagementServiceClient(connection)
	text, err := client.Encrypt(t.Context(), &api.EncryptRequest{Plaintext: []byte(planted)})
	if err != nil {
		t.Fatal(err)
	}
	if err := run(t.Context(), out, "new-key", key); err != nil {
		t.Fatal(err)
	}
	renewed, err := client.Encrypt(t.Context(), &api.EncryptRequest{Plaintext: []byte(planted)})
	if err != nil || renewed.GetKeyId() == text.GetKeyId() {
		t.Fatalf("after a rotation: %v, %v", renewed.GetKeyId(), err)
	}
	status, err := client.Status(t.Context(), &api.StatusRequest{})
	if err != nil || status.GetKeyId() != renewed.GetKeyId() || status.GetHealthz() != "ok" {
		t.Errorf("after a rotation the status is %v, %v", status, err)
	}
	plain, err := client.Decrypt(t.Context(), &api.DecryptRequest{Ciphertext: text.GetCiphertext(), KeyId: text.GetKeyId()})
	if err != nil || string(plain.GetPlaintext()) != planted {
		t.Errorf("what the old key encrypted: %v", err)
	}
	address := regexp.MustCompile(`address=(\S+)`).FindStringSubmatch(out.String())
	if address == nil {
		t.Fatalf("the address of metrics is not told:\n%s", out)
	}
	if got := get(t, "http://"+address[1]+"/healthz"); got != "200 ok\n" {
		t.Errorf("the health is %s", got)
	}
	if got := get(t, "http://"+address[1]+"/metrics"); !strings.Contains(got, `causeway_kms_request_duration_seconds_count{asked="encrypt",result="done"} 2`) {
		t.Errorf("the metrics are %s", got)
	}
	if err := os.Remove(key); err != nil {
		t.Fatal(err)
	}
	eventually(t, "nobody sees that the key is gone", func() bool {
		status, err := client.Status(t.Context(), &api.StatusRequest{})
		return err == nil && strings.Contains(status.GetHealthz(), "cannot read the key file") && status.GetKeyId() == renewed.GetKeyId()
	})
	if got := get(t, "http://"+address[1]+"/healthz"); !strings.HasPrefix(got, "503 ") || strings.Contains(got, key) {
		t.Errorf("without the key the health is %s", got)
	}
}

func get(t *testing.T, address string) string {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.Status[:4] + string(text)
}

func TestMistakes(t *testing.T) {
	folder := t.TempDir()
	tests := map[string]struct {
		reason string
		args   []string
		want   string
	}{
		"NoKey":   {"there is no key that is right for all", nil, "name the key with --key"},
		"Empty":   {"a variable that is not set", []string{"--key="}, "--key"},
		"Level":   {"a typo", []string{"--key=age:/k", "--log-level=loud"}, "cannot log at level"},
		"Missing": {"a typo", []string{"--key=age:/nowhere/kms.key", "--socket=" + filepath.Join(folder, "s")}, "cannot read the key file"},
		"Nothing": {"a file is to be named", []string{"new-key"}, "a file"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			err := run(t.Context(), io.Discard, tc.args...)
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("%s: got %v, want %q", tc.reason, err, tc.want)
			}
		})
	}
}
