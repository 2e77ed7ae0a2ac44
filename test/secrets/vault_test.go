package secrets

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/causeway-gitops/causeway/internal/secrets/compute"
	"github.com/causeway-gitops/causeway/test/leash"
)

func TestMain(m *testing.M) {
	compute.Worker()
	os.Exit(leash.Held(m.Run))
}

// program is one of bin.
func program(t *testing.T, name string) string {
	t.Helper()
	path, err := filepath.Abs(filepath.Join("../../bin", name))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(path); err != nil {
		t.Fatalf("run `make build vault` first: %v", err)
	}
	return path
}

// vault is a real one.
type vault struct {
	t       *testing.T
	address string
}

var listens = regexp.MustCompile(`http://127\.0\.0\.1:\d+`)

// newVault starts one, which ends with the test.
func newVault(t *testing.T, args ...string) vault {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), program(t, "causeway-vault"), append([]string{"--listen", "127.0.0.1:0"}, args...)...)
	said, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewReader(said)
	first, err := lines.ReadString('\n')
	address := listens.FindString(first)
	if err != nil || address == "" {
		t.Fatalf("Vault says %q: %v", first, err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		rest, _ := io.ReadAll(lines)
		if len(rest) > 0 {
			t.Logf("Vault says\n%s", rest)
		}
	}()
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		<-done
		_ = cmd.Wait()
	})
	return vault{t, address}
}

// has Vault do what a request says, and is what it answers.
func (v vault) has(method, path string, body any) map[string]any {
	v.t.Helper()
	text, err := json.Marshal(body)
	if err != nil {
		v.t.Fatal(err)
	}
	request, err := http.NewRequestWithContext(context.WithoutCancel(v.t.Context()), method, v.address+"/v1/"+path, bytes.NewReader(text))
	if err != nil {
		v.t.Fatal(err)
	}
	request.Header.Set("X-Vault-Token", "root")
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		v.t.Fatal(err)
	}
	defer answer.Body.Close()
	said, err := io.ReadAll(answer.Body)
	if err != nil || answer.StatusCode >= http.StatusBadRequest {
		v.t.Fatalf("%s %s: %s: %s (%v)", method, path, answer.Status, said, err)
	}
	all := map[string]any{}
	if len(said) > 0 {
		if err := json.Unmarshal(said, &all); err != nil {
			v.t.Fatal(err)
		}
	}
	return all
}

// put writes an entry of the engine secret.
func (v vault) put(key string, fields map[string]any) {
	v.t.Helper()
	v.has(http.MethodPost, "secret/data/"+key, map[string]any{"data": fields})
}

// text of what an answer has at a path.
func text(answer map[string]any, path ...string) string {
	var at any = answer
	for _, name := range path {
		inner, _ := at.(map[string]any)
		at = inner[name]
	}
	return fmt.Sprint(at)
}
