package login

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/causeway-gitops/causeway/internal/auth/key"
	"github.com/causeway-gitops/causeway/internal/cli/clitest"
	"github.com/causeway-gitops/causeway/internal/cli/command"
	"github.com/causeway-gitops/causeway/internal/server/api"
)

// TestKeysOfAServer are made for what is said and no more, listed and ended; the key itself is alone on the output.
func TestKeysOfAServer(t *testing.T) {
	const made = `{"id": "4ekx", "name": "ci", "token": "the-key", "expires": "2026-02-01T00:00:00Z"}`
	d := clitest.NewDesk(t, map[string]any{
		"POST /api/v1/keys":        func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(made)) },
		"GET /api/v1/keys":         []api.APIKey{},
		"DELETE /api/v1/keys/4ekx": nil, "DELETE /api/v1/keys/other": clitest.Refusal{Status: http.StatusNotFound, Detail: "there is no such key"},
	})
	run := func(args ...string) clitest.Left { return clitest.Run(t, NewKeys, append(args, "--server", d.URL)...) }
	got := run("create", "ci", "--allow", "applications:sync:shop-*", "--allow", "clusters:get:*", "--days", "30")
	got.Says(t, "it is shown once", command.ExitFine, "key ci (4ekx) counts until 2026-02-01T00:00:00Z; it is not shown again:")
	if got.Out != "the-key\n" {
		t.Errorf("a file would have %q", got.Out)
	}
	run("list").Says(t, "none", command.ExitFine, "there are no keys\n")
	run("list", "-o", "json").Says(t, "none, for programs", command.ExitFine, "[]\n")
	run("revoke", "4ekx").Says(t, "ended", command.ExitFine, "key 4ekx is revoked\n")
	run("revoke", "other").Says(t, "there is none", command.ExitFailed, "cannot end the key: ", "there is no such key")
	want := `POST /api/v1/keys {"name":"ci","scope":{"rules":[{"resource":"applications","action":"sync","project":"shop-*"},{"resource":"clusters","action":"get","project":"*"}]},"days":30}`
	if asked := d.Asked(); len(asked) != 3 || asked[0] != want {
		t.Errorf("asked %q", asked)
	}
}

// TestKeysThatCannotBeMeant are refused before a server makes one.
func TestKeysThatCannotBeMeant(t *testing.T) {
	d := clitest.NewDesk(t, nil)
	for args, want := range map[string]string{
		"create": "name the key", "create ci": "--read-only, or --allow RESOURCE:ACTION:PROJECT", "create ci --allow applications:sync": "write RESOURCE:ACTION:PROJECT, as in applications:sync:shop-*",
		"create ci --read-only --days 0": "--days is 1 to", "create ci --read-only --days 100000": "--days is 1 to", "list x": `cannot take the argument "x"`, "list -o tree": "use one of table, wide, json, yaml", "revoke": "causeway keys list", "lst": `did you mean "list"?`,
	} {
		clitest.Run(t, NewKeys, append(strings.Fields(args), "--server", d.URL)...).Says(t, args, command.ExitUsage, want)
	}
	clitest.Run(t, NewKeys, "list").Says(t, "nowhere", command.ExitUsage, "name the server that keeps the keys with --server")
	if asked := d.Asked(); len(asked) > 0 {
		t.Errorf("asked %v", asked)
	}
}

// TestKeysAreToldByWhatTheyMay, and whether they still count.
func TestKeysAreToldByWhatTheyMay(t *testing.T) {
	one := api.APIKey{ID: "a", Name: "ci", Owner: "ann", Created: clitest.Noon.Add(-time.Hour), Expires: clitest.Noon.Add(48 * time.Hour), Scope: key.Scope{ReadOnly: true, Rules: []key.Rule{{Resource: "applications", Action: "sync", Project: "*"}}}}
	old := one
	old.Expired, old.LastUsed = true, clitest.Noon.Add(-time.Minute)
	for want, k := range map[string]api.APIKey{"a ci ann 60m in 2d - read-only, applications:sync:*": one, "a ci ann 60m expired 60s read-only, applications:sync:*": old} {
		if got := strings.Join(keyRow(&k, clitest.Noon), " "); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
